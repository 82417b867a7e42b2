/**
 * What makes the cluster live: garbage collection, namespaces, workloads, scheduling. Each part is an ordinary client
 * of the API server, on pintle's cache and queue over the in-process transport, and can be left out by the name it has in
 * a real controller manager.
 */
import { autoscalers } from "./autoscaler/controller.ts";
import { clusterRoleAggregation } from "./cluster-role/aggregation.ts";
import { cronJobs } from "./cron-job/controller.ts";
import { daemonSets } from "./daemon-set/controller.ts";
import { deployments } from "./deployment/controller.ts";
import { disruptionBudgets } from "./disruption/controller.ts";
import { endpointSlices } from "./endpoint-slice/controller.ts";
import { endpointSliceMirrors } from "./endpoint-slice/mirror.ts";
import { endpoints } from "./endpoints/controller.ts";
import { eventTtl } from "./event-ttl/controller.ts";
import { garbageCollector } from "./garbage/collector.ts";
import { ingresses } from "./ingress/ingresses.ts";
import { jobs } from "./job/controller.ts";
import { namespaces } from "./namespace/namespaces.ts";
import { nodeLifecycle } from "./node-lifecycle/controller.ts";
import { nodeTtl } from "./node-ttl/controller.ts";
import type { Part, Plant } from "./part.ts";
import { podGarbage } from "./pod-gc/controller.ts";
import { resourceQuotas } from "./quota/controller.ts";
import { replicaSets } from "./replica-set/controller.ts";
import { rootCertificates } from "./root-ca/root-ca.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { loadBalancers } from "./service/load-balancer.ts";
import { serviceAccounts } from "./service-account/service-accounts.ts";
import { statefulSets } from "./stateful-set/controller.ts";
import { taintEviction } from "./taint-eviction/controller.ts";
import { ttlAfterFinished } from "./ttl-after-finished/controller.ts";
import { volumeBinder } from "./volume/binder.ts";
import { ephemeralVolumes } from "./volume/ephemeral.ts";
import { claimProtection, volumeProtection } from "./volume/protection.ts";
import { volumeProvisioner } from "./volume/provisioner.ts";

export { type Announcement, type Announcer, eventRecorder } from "./events/recorder.ts";
export { controllerOf } from "./owner.ts";
export type { Part, Plant } from "./part.ts";
export { volumeProvisioner } from "./volume/provisioner.ts";

/** Every part, by the name it is left out by. */
const PARTS = {
  "clusterrole-aggregation-controller": clusterRoleAggregation,
  "cronjob-controller": cronJobs,
  "daemonset-controller": daemonSets,
  "deployment-controller": deployments,
  "disruption-controller": disruptionBudgets,
  "endpoints-controller": endpoints,
  "endpointslice-controller": endpointSlices,
  "endpointslice-mirroring-controller": endpointSliceMirrors,
  "ephemeral-volume-controller": ephemeralVolumes,
  "event-ttl": eventTtl,
  "garbage-collector-controller": garbageCollector,
  "horizontal-pod-autoscaler-controller": autoscalers,
  "ingress-status-controller": ingresses,
  "job-controller": jobs,
  "namespace-controller": namespaces,
  "node-lifecycle-controller": nodeLifecycle,
  "persistentvolume-binder-controller": volumeBinder,
  "persistentvolume-protection-controller": volumeProtection,
  "persistentvolumeclaim-protection-controller": claimProtection,
  "pod-garbage-collector-controller": podGarbage,
  "replicaset-controller": replicaSets,
  "resourcequota-controller": resourceQuotas,
  "root-ca-certificate-publisher-controller": rootCertificates,
  "service-lb-controller": loadBalancers,
  "serviceaccount-controller": serviceAccounts,
  "statefulset-controller": statefulSets,
  "storage-provisioner": volumeProvisioner,
  "taint-eviction-controller": taintEviction,
  "ttl-controller": nodeTtl,
  "ttl-after-finished-controller": ttlAfterFinished,
  scheduler,
} satisfies Record<string, (plant: Plant) => Part>;
export type PartName = keyof typeof PARTS;

export function controllers(plant: Plant, without: readonly PartName[] = []): readonly Part[] {
  return Object.entries(PARTS).flatMap(([name, start]) => (without.includes(name as PartName) ? [] : [start(plant)]));
}
