import { controller } from "pintle";
import { Job } from "pintle/kinds/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import {
  claimFor,
  credentialsOf,
  disruptionBudgetFor,
  jobOutcome,
  podFor,
  podMatchesVolume,
  restoreJobFor,
  secretNames,
  secretsFor,
  serverSettings,
  servicesFor,
} from "./children/index.ts";
import { type DesiredCluster, decideNextStep, highestOrdinal, type Volume } from "./decide/index.ts";
import { EtcdCluster, RECOVER_FROM } from "./etcd-cluster.ts";
import { type SendEtcdRequest, sendEtcdRequest } from "./etcd-request.ts";
import { EtcdRestore, findPendingRestore } from "./etcd-restore.ts";
import { executeStep } from "./execute-step.ts";
import { createHealthTracker } from "./member-health.ts";
import { observeCluster } from "./observe.ts";
import { buildStatus } from "./status.ts";
import { desiredVolumes } from "./volumes.ts";

/**
 * Observes the cluster, decides on one safe step, and executes it. All state is in the claims' annotations and in etcd, so the operator can
 * be restarted at any time.
 */
export function etcdController(sendRequest: SendEtcdRequest) {
  const healthTracker = createHealthTracker();
  return controller(EtcdCluster, {
    owns: [Service, PodDisruptionBudget, PersistentVolumeClaim, Pod, Secret, Job],
    watches: { restores: { kind: EtcdRestore, by: ({ spec: { cluster } }) => [{ name: cluster }] } },
    async reconcile({ object: cluster, owned, related, signal, event, want, clock, assertLeading }) {
      const now = clock.now();
      const pods = owned(Pod).list();
      const credentials = credentialsOf(owned(Secret).get(secretNames(cluster).client));
      const claims = owned(PersistentVolumeClaim).list();
      const observed = await observeCluster({
        cluster,
        pods,
        claims,
        credentials,
        call(request) {
          assertLeading();
          return sendRequest(request);
        },
        soundness: healthTracker,
        now,
        signal,
      });
      const lastOrdinal = Math.max(cluster.status?.lastOrdinal ?? 0, highestOrdinal(observed.observedMembers));
      const restore = findPendingRestore(related.restores);
      const step = decideNextStep(observed, { ...desiredCluster(cluster), lastOrdinal, restore });
      const outcome = await executeStep(step, cluster, observed);
      signal.throwIfAborted();
      if (outcome.message !== undefined) {
        const isRefused = step.do === "refuse";
        event(isRefused ? step.reason : "Step", outcome.message, { type: isRefused ? "Warning" : "Normal" });
      }

      const jobs = owned(Job).list();
      const restoreJobs = (outcome: "done" | "failed") =>
        new Set(jobs.filter((job) => jobOutcome(job) === outcome).map(({ metadata }) => metadata.name));
      const liveClaims = owned(PersistentVolumeClaim)
        .list()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const existing = new Set(liveClaims.map(({ metadata }) => metadata.name));
      const volumes = desiredVolumes(cluster, observed, step, {
        existing,
        restored: restoreJobs("done"),
        failedRestores: restoreJobs("failed"),
        now,
      });
      const hasOutdatedPod = (volume: Volume) => pods.some((pod) => pod.metadata.name === volume.name && !podMatchesVolume(pod, volume));
      const { status, conditions } = buildStatus(cluster, observed, step, outcome, volumes);
      return want({
        children: {
          services: servicesFor(cluster),
          budget: disruptionBudgetFor(cluster),
          secrets: secretsFor(cluster, (name) => owned(Secret).get(name), now),
          claims: volumes.map((volume) => claimFor(cluster, volume)),
          jobs: volumes.filter(({ state }) => state === "restoring").map((volume) => restoreJobFor(cluster, volume)),
          pods: volumes
            .filter((volume) => volume.state !== "restoring" && !hasOutdatedPod(volume))
            .map((volume) => podFor(cluster, volume)),
        },
        status: { ...status, lastOrdinal },
        conditions,
        requeueAfter: step.do === "nothing" ? "15s" : "1s",
      });
    },
  });
}

export const etcd = etcdController(sendEtcdRequest);

function desiredCluster(cluster: EtcdCluster): Omit<DesiredCluster, "lastOrdinal"> {
  const { size, version, replaceAfterSeconds, defragmentAtPercent } = cluster.spec;
  return {
    size,
    version,
    settings: serverSettings(cluster),
    replaceAfterMs: replaceAfterSeconds * 1000,
    defragmentAtPercent: defragmentAtPercent,
    recoverFrom: cluster.metadata.annotations?.[RECOVER_FROM],
  };
}
