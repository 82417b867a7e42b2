import { allow, controller, milliseconds } from "pintle";
import { condition } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "pintle/kinds/core/v1";
import { type Call, call } from "./call.ts";
import { credentialsOf, outcomeOf, secretNames, snapshotClaimFor, snapshotJobFor, snapshotOf } from "./children/index.ts";
import { nextSnapshot, type Snapshot } from "./decide/index.ts";
import { EtcdBackup } from "./etcd-backup.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { EtcdRestore } from "./etcd-restore.ts";
import { gateway } from "./gateway.ts";
import { LABEL } from "./members.ts";
import { endpointsOf } from "./observe.ts";

/** Takes snapshots of a cluster, each into a claim of its own, and lets old ones go. */
export function backupController(reach: Call) {
  return controller(EtcdBackup, {
    owns: [PersistentVolumeClaim, Job],
    watches: {
      cluster: { kind: EtcdCluster, by: { name: ({ spec }) => spec.cluster } },
      restores: { kind: EtcdRestore, by: ({ spec }) => [{ name: spec.backup }] },
    },
    needs: [allow(Pod, "list"), allow(Secret, "get")],
    async reconcile({ object: backup, owned, related, client, signal, event, want }) {
      const now = Date.now();
      const jobs = owned(Job).all();
      const before = owned(PersistentVolumeClaim)
        .all()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .flatMap((claim) => snapshotOf(claim) ?? [])
        .map((snapshot) => {
          const job = jobs.find(({ metadata }) => metadata.name === snapshot.name);
          return job !== undefined && outcomeOf(job) === "done" ? { ...snapshot, takenAt: job.status.completionTime ?? "" } : snapshot;
        });
      const failed = jobs.filter((job) => outcomeOf(job) === "failed");
      const inUse = related.restores.filter((restore) => !condition("Complete")(restore)).map(({ status }) => status?.snapshot);
      const { every, keep } = backup.spec;
      const next = nextSnapshot(before, {
        now,
        keep,
        every: every === undefined ? undefined : milliseconds(every as `${number}s`),
        failed: new Map(
          failed.map(({ metadata, status }) => [metadata.name, Date.parse(status.conditions?.[0]?.lastTransitionTime ?? "")]),
        ),
        inUse: new Set(inUse),
      });
      const [cluster] = related.cluster;
      const begun = next.due && cluster !== undefined ? await begin(cluster) : undefined;
      const snapshots = begun === undefined ? next.kept : [...next.kept, begun];
      const taken = snapshots.filter(({ takenAt }) => takenAt !== "");
      for (const { name } of taken) if (owned(Job).get(name) !== undefined) event("Taken", `${name} is complete`);
      const pending = snapshots.find(({ takenAt }) => takenAt === "");
      return want({
        children: {
          claims: snapshots.map((snapshot) => snapshotClaimFor(backup, snapshot)),
          job: pending && cluster && snapshotJobFor(pending.name, { cluster, member: pending.member, version: pending.version }),
        },
        status: {
          snapshots: taken.map(({ name, takenAt, revision, version }) => ({ name, takenAt, revision, version })),
          count: taken.length,
          latest: taken.at(-1)?.name ?? "",
        },
        conditions: { Complete: conditionOf(taken, pending, cluster, failed) },
        requeueAfter: next.again === undefined ? undefined : `${next.again}ms`,
      });

      /** From a member that does not lead, if there is one; undefined while there is nobody to ask. */
      async function begin(from: EtcdCluster): Promise<Snapshot | undefined> {
        const { namespace } = backup.metadata;
        const pods = (await client.list(Pod, { namespace, labels: { [LABEL]: from.metadata.name } })).items;
        const secret = from.spec.tls ? await client.get(Secret, { name: secretNames(from).client, namespace }) : undefined;
        const etcd = gateway({ call: reach, endpoints: endpointsOf(from, pods), credentials: credentialsOf(secret), signal });
        const well = (from.status?.members ?? []).filter(({ healthy, learner }) => healthy && !learner);
        const source = well.find(({ leader }) => !leader) ?? well[0];
        const said = source && (await etcd.report(source.name).catch(() => undefined));
        if (source === undefined || said === undefined) return undefined;
        const stamp = new Date(now).toISOString().replace(/\D/g, "").slice(0, 14);
        return {
          name: `${backup.metadata.name}-${stamp}`,
          member: source.name,
          revision: said.revision,
          version: said.version,
          takenAt: "",
        };
      }
    },
  });
}

export const backup = backupController(call);

function conditionOf(taken: readonly Snapshot[], pending: Snapshot | undefined, cluster: EtcdCluster | undefined, failed: readonly Job[]) {
  const latest = taken.at(-1);
  if (failed.length > 0)
    return { status: false, reason: "Failed", message: `${failed[0]!.metadata.name}: its job failed; it is tried again` };
  if (latest !== undefined) return { status: true, reason: "Taken", message: `${latest.name} was complete at ${latest.takenAt}` };
  if (cluster === undefined) return { status: false, reason: "NoCluster", message: "there is no such EtcdCluster" };
  return pending === undefined
    ? { status: false, reason: "Waiting", message: "no member answers" }
    : { status: false, reason: "Running", message: `${pending.name} is being taken from ${pending.member}` };
}
