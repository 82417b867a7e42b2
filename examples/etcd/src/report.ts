import type { Deed } from "./act.ts";
import { byVersion, type Observed, type Step, type Volume, votersOf } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { PORTS, schemeOf } from "./members.ts";

/** The status of a cluster, and its conditions. */
export function report(cluster: EtcdCluster, observed: Observed, step: Step, { failed }: Deed, volumes: readonly Volume[]) {
  const { name, namespace } = cluster.metadata;
  const voters = votersOf(observed);
  const ready = voters.filter(({ healthy }) => healthy).length;
  const hasQuorum = observed.members !== undefined && ready > voters.length / 2;
  const isRefused = step.do === "refuse";
  const [oldest] = volumes.map(({ version }) => version).sort(byVersion);
  const [history = cluster.status?.history ?? ""] = observed.members === undefined ? [] : volumes.map((volume) => volume.history);
  const status = {
    members: observed.seen.flatMap(({ name: member, member: entry, healthy, leader, running, volume }) =>
      entry === undefined
        ? []
        : [{ name: member, id: hex(entry.id), version: running ?? volume?.version ?? "", healthy, learner: entry.learner, leader }],
    ),
    history,
    ready,
    leader: observed.seen.find(({ leader }) => leader)?.name ?? "",
    endpoint: `${schemeOf(cluster)}://${name}.${namespace}.svc:${PORTS.client}`,
    version: oldest ?? cluster.spec.version,
  };
  const conditions = {
    Available: { status: hasQuorum, reason: hasQuorum ? "Quorum" : "NoQuorum", message: `${ready} of ${voters.length} voters answer` },
    Progressing: {
      status: step.do !== "nothing" && !isRefused,
      reason: isRefused ? step.reason : reasonOf(step),
      message: failed ?? ("why" in step ? step.why : ""),
    },
    Degraded: { status: isRefused, reason: isRefused ? step.reason : "AsWanted", message: isRefused ? step.why : "" },
  };
  return { status, conditions };
}

function hex(id: string): string {
  return BigInt(id).toString(16);
}

/** "hand over" is HandOver. */
function reasonOf({ do: what }: Step): string {
  return what.replace(/(^| )(.)/g, (_, __, letter: string) => letter.toUpperCase());
}
