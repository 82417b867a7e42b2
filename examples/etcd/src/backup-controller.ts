import { allow, controller, durationToMilliseconds } from "pintle";
import { hasCondition } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "pintle/kinds/core/v1";
import { credentialsOf, jobOutcome, secretNames, snapshotClaimFor, snapshotFromClaim, snapshotJobFor } from "./children/index.ts";
import { planSnapshots, type Snapshot } from "./decide/index.ts";
import { EtcdBackup } from "./etcd-backup.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { type SendEtcdRequest, sendEtcdRequest } from "./etcd-request.ts";
import { EtcdRestore } from "./etcd-restore.ts";
import { createGateway } from "./gateway.ts";
import { LABEL } from "./members.ts";
import { listEndpoints } from "./observe.ts";

/** Takes snapshots of a cluster, each into its own PersistentVolumeClaim, and deletes old ones. */
export function backupController(sendRequest: SendEtcdRequest) {
  return controller(EtcdBackup, {
    owns: [PersistentVolumeClaim, Job],
    watches: {
      cluster: { kind: EtcdCluster, by: { name: ({ spec }) => spec.cluster } },
      restores: { kind: EtcdRestore, by: ({ spec }) => [{ name: spec.backup }] },
    },
    needs: [allow(Pod, "list"), allow(Secret, "get")],
    async reconcile({ object: backup, owned, related, client, signal, event, want, clock }) {
      const now = clock.now();
      const jobs = owned(Job).list();
      const before = owned(PersistentVolumeClaim)
        .list()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .flatMap((claim) => snapshotFromClaim(claim) ?? [])
        .map((snapshot) => {
          const job = jobs.find(({ metadata }) => metadata.name === snapshot.name);
          return job !== undefined && jobOutcome(job) === "done" ? { ...snapshot, takenAt: job.status.completionTime ?? "" } : snapshot;
        });
      const failed = jobs.filter((job) => jobOutcome(job) === "failed");
      const inUse = related.restores.filter((restore) => !hasCondition("Complete")(restore)).map(({ status }) => status?.snapshot);
      const { every, keep } = backup.spec;
      const next = planSnapshots(before, {
        now,
        keep,
        every: every === undefined ? undefined : durationToMilliseconds(every as `${number}s`),
        failed: new Map(
          failed.map(({ metadata, status }) => [metadata.name, Date.parse(status.conditions?.[0]?.lastTransitionTime ?? "")]),
        ),
        inUse: new Set(inUse),
      });
      const [cluster] = related.cluster;
      const started = next.isDue && cluster !== undefined ? await startSnapshot(cluster) : undefined;
      const snapshots = started === undefined ? next.retained : [...next.retained, started];
      const taken = snapshots.filter(({ takenAt }) => takenAt !== "");
      for (const { name } of taken) if (owned(Job).get(name) !== undefined) event("Taken", `snapshot ${name} is complete`);
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
        requeueAfter: next.requeueAfterMs === undefined ? undefined : `${next.requeueAfterMs}ms`,
      });

      /** Starts a snapshot, preferably from a follower. Returns undefined if no member responds. */
      async function startSnapshot(from: EtcdCluster): Promise<Snapshot | undefined> {
        const { namespace } = backup.metadata;
        const pods = (await client.list(Pod, { namespace, labels: { [LABEL]: from.metadata.name } })).items;
        const secret = from.spec.tls ? await client.get(Secret, { name: secretNames(from).client, namespace }) : undefined;
        const etcd = createGateway({ call: sendRequest, endpoints: listEndpoints(from, pods), credentials: credentialsOf(secret), signal });
        const healthyVoters = (from.status?.members ?? []).filter(({ healthy, learner }) => healthy && !learner);
        const source = healthyVoters.find(({ leader }) => !leader) ?? healthyVoters[0];
        const memberStatus = source && (await etcd.status(source.name).catch(() => undefined));
        if (source === undefined || memberStatus === undefined) return undefined;
        const stamp = new Date(now).toISOString().replace(/\D/g, "").slice(0, 14);
        return {
          name: `${backup.metadata.name}-${stamp}`,
          member: source.name,
          revision: memberStatus.revision,
          version: memberStatus.version,
          takenAt: "",
        };
      }
    },
  });
}

export const backup = backupController(sendEtcdRequest);

function conditionOf(taken: readonly Snapshot[], pending: Snapshot | undefined, cluster: EtcdCluster | undefined, failed: readonly Job[]) {
  const latest = taken.at(-1);
  if (failed.length > 0)
    return { status: false, reason: "Failed", message: `the job of ${failed[0]!.metadata.name} failed and will be retried` };
  if (latest !== undefined) return { status: true, reason: "Taken", message: `${latest.name} was completed at ${latest.takenAt}` };
  if (cluster === undefined) return { status: false, reason: "NoCluster", message: "EtcdCluster not found" };
  return pending === undefined
    ? { status: false, reason: "Waiting", message: "no member responds" }
    : { status: false, reason: "Running", message: `taking ${pending.name} from ${pending.member}` };
}
