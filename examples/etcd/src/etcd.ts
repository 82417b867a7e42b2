import { controller } from "pintle";
import { PersistentVolumeClaim, Pod, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { analyse, highestOrdinal, type Observed, type Step, type Volume } from "./analyse.ts";
import { budgetFor, claimFor, endpointOf, peerURL, podFor, servicesFor } from "./children.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { gateway } from "./gateway.ts";
import { endpointsOf, initialClusterFor, observe } from "./observe.ts";

/** Observes, decides on one safe step, and takes it. Everything it has to remember is on the volumes and in etcd itself. */
export const etcd = controller(EtcdCluster, {
  owns: [Service, PodDisruptionBudget, PersistentVolumeClaim, Pod],
  async reconcile({ object: cluster, owned, signal, event, want }) {
    const { name, namespace } = cluster.metadata;
    const { size, version, replaceAfterSeconds } = cluster.spec;
    const pods = owned(Pod).all();
    const claims = owned(PersistentVolumeClaim).all();
    const observed = await observe({ pods, claims, now: Date.now(), signal });
    const lastOrdinal = Math.max(cluster.status?.lastOrdinal ?? 0, highestOrdinal(observed.seen));
    const step = analyse(observed, { size, version, replaceAfter: replaceAfterSeconds * 1000, lastOrdinal });
    const said = await act(step);
    if (said !== undefined) event(step.do === "refuse" ? "Refused" : "Step", said, { type: step.do === "refuse" ? "Warning" : "Normal" });

    // A claim that went while etcd was asked must not be made anew: a member without its data may not come back under its old name.
    const there = new Set(
      owned(PersistentVolumeClaim)
        .all()
        .flatMap(({ metadata }) => (metadata.deletionTimestamp ? [] : [metadata.name])),
    );
    const volumes = volumesFor(cluster, observed, step, there);
    const voters = observed.seen.filter(({ member }) => member !== undefined && !member.learner);
    const ready = voters.filter(({ healthy }) => healthy).length;
    const hasQuorum = ready > voters.length / 2;
    const settled = step.do === "nothing";
    return want({
      children: {
        services: servicesFor(cluster),
        budget: budgetFor(cluster),
        claims: volumes.map((volume) => claimFor(cluster, volume)),
        pods: volumes.map((volume) => podFor(cluster, volume)),
      },
      status: {
        members: observed.seen.flatMap(({ name: member, member: entry, healthy, leader, running, volume }) =>
          entry === undefined
            ? []
            : [{ name: member, id: hex(entry.id), version: running ?? volume?.version ?? "", healthy, learner: entry.learner, leader }],
        ),
        lastOrdinal,
        ready,
        leader: observed.seen.find(({ leader }) => leader)?.name ?? "",
        endpoint: `http://${name}.${namespace}.svc:2379`,
        version: volumes.map((volume) => volume.version).sort()[0] ?? version,
      },
      conditions: {
        Available: { status: hasQuorum, reason: hasQuorum ? "Quorum" : "NoQuorum", message: `${ready} of ${voters.length} voters answer` },
        Progressing: { status: !settled && step.do !== "refuse", reason: reasonOf(step), message: messageOf(step) },
        Degraded: {
          status: step.do === "refuse",
          reason: step.do === "refuse" ? "Refused" : "AsWanted",
          message: step.do === "refuse" ? step.why : "",
        },
      },
      requeueAfter: settled ? "15s" : "1s",
    });

    /** What concerns etcd itself is done here; what concerns volumes and pods follows from the step. */
    async function act(next: Step): Promise<string | undefined> {
      const members = gateway(endpointsOf(pods), signal);
      switch (next.do) {
        case "add":
          return (await members.addLearner(peerURL(cluster, `${name}-${next.ordinal}`)))
            ? `${name}-${next.ordinal} joins as a learner`
            : undefined;
        case "promote":
          return (await members.promote(next.seen.member!.id)) ? `${next.seen.name} has caught up and votes now` : undefined;
        case "remove":
          await members.remove(next.seen.member!.id);
          return `${next.seen.name} is removed: ${next.why}`;
        case "hand over": {
          const leader = pods.find((pod) => pod.metadata.name === next.from.name);
          await members.moveLeader(endpointOf(leader!)!, next.to.member!.id);
          return `${next.from.name} hands over to ${next.to.name}`;
        }
        case "upgrade":
          return `${next.seen.name} goes from ${next.seen.volume!.version} to ${version}`;
        case "refuse":
          return next.why;
        default:
          return undefined;
      }
    }
  },
});

/** The volumes that should be: those of members, one for a member that has none yet, and at the very beginning the first. */
function volumesFor(cluster: EtcdCluster, observed: Observed, step: Step, there: ReadonlySet<string>): readonly Volume[] {
  const { name } = cluster.metadata;
  const { members, seen } = observed;
  if (step.do === "seed") {
    const first = `${name}-1`;
    return [
      { name: first, ordinal: 1, initialCluster: `${first}=${peerURL(cluster, first)}`, state: "new", version: cluster.spec.version },
    ];
  }
  // Who cannot ask etcd touches nothing.
  const held = seen.filter(({ name: member }) => there.has(member));
  if (members === undefined) return held.flatMap(({ volume }) => volume ?? []);
  const fresh = seen.filter(({ member, volume }) => member?.name === "" && volume === undefined);
  const oldest = seen.flatMap(({ volume }) => volume?.version ?? []).sort()[0] ?? cluster.spec.version;
  const kept = held.filter(({ member }) => member !== undefined).flatMap(({ volume }) => volume ?? []);
  return [
    ...kept.map((volume) => ({
      ...volume,
      state: "existing" as const,
      version: step.do === "upgrade" && step.seen.name === volume.name ? cluster.spec.version : volume.version,
    })),
    ...fresh.map(({ name: member }) => ({
      name: member,
      ordinal: Number(/-(\d+)$/.exec(member)?.[1]),
      initialCluster: initialClusterFor(cluster, observed, member),
      state: "existing" as const,
      version: oldest,
    })),
  ];
}

function hex(id: string): string {
  return BigInt(id).toString(16);
}

function reasonOf({ do: what }: Step): string {
  return what.replace(/(^| )(.)/g, (_, __, letter: string) => letter.toUpperCase());
}

function messageOf(step: Step): string {
  return "why" in step ? step.why : "";
}
