/**
 * The controllers of kube-controller-manager, and the scheduler. In comes a `ControllerContext`: a client and cache over the in-process
 * transport, clock and event recorder; out come running components, each of which can be disabled by the name it has in
 * kube-controller-manager. `deployment/`, `job/` and the like hold one controller each; controllers of one file lie directly in this
 * folder; `workload/` and `shared/` hold what several of them use.
 */

import { startCertificateApprovingController } from "./certificates/approving-controller.ts";
import { startCertificateCleanerController } from "./certificates/cleaner-controller.ts";
import { startCertificateSigningController } from "./certificates/signing-controller.ts";
import { startClusterRoleAggregationController } from "./cluster-role-aggregation.ts";
import type { ControllerContext, ControlPlaneComponent } from "./component.ts";
import { startCronJobController } from "./cron-job/controller.ts";
import { startDaemonSetController } from "./daemon-set/controller.ts";
import { startDeploymentController } from "./deployment/controller.ts";
import { startDisruptionController } from "./disruption/controller.ts";
import { startEndpointSliceController } from "./endpoints/endpoint-slice-controller.ts";
import { startEndpointSliceMirroringController } from "./endpoints/endpoint-slice-mirroring-controller.ts";
import { startEndpointsController } from "./endpoints/endpoints-controller.ts";
import { startEventTtlController } from "./event-ttl.ts";
import { startGarbageCollectorController } from "./garbage-collector/garbage-collector.ts";
import { startHorizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/controller.ts";
import { startIngressStatusController } from "./ingress-status.ts";
import { startJobController } from "./job/controller.ts";
import { startNamespaceController } from "./namespace/controller.ts";
import { startNodeLifecycleController } from "./node-lifecycle/controller.ts";
import { startNodeTtlController } from "./node-ttl.ts";
import { startPersistentVolumeBinderController } from "./persistent-volume/binder.ts";
import { startEphemeralVolumeController } from "./persistent-volume/ephemeral-volume.ts";
import { startClaimProtectionController, startVolumeProtectionController } from "./persistent-volume/protection.ts";
import { startVolumeProvisioner } from "./persistent-volume/provisioner.ts";
import { startPodGarbageCollectorController } from "./pod-garbage-collector.ts";
import { startReplicaSetController, startReplicationController } from "./replica-set/controller.ts";
import { startResourceQuotaController } from "./resource-quota.ts";
import { startRootCaCertificatePublisher } from "./root-ca-certificate-publisher.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { startServiceAccountController } from "./service-account.ts";
import { startServiceLoadBalancerController } from "./service-load-balancer.ts";
import { startStatefulSetController } from "./stateful-set/controller.ts";
import { startTaintEvictionController } from "./taint-eviction.ts";
import { startTtlAfterFinishedController } from "./ttl-after-finished.ts";
import { startPolicyStatusController } from "./validating-admission-policy-status.ts";

export type { ControllerContext, ControlPlaneComponent, OpenApiDocument } from "./component.ts";
export {
  createEventRecorder,
  type EventRecorder,
  type RecordedEvent,
} from "./events/event-recorder.ts";
export { startVolumeProvisioner } from "./persistent-volume/provisioner.ts";
export { getControllerOf } from "./shared/owner-reference.ts";

/** The name of a controller, as in kube-controller-manager; `startCluster({ without })` disables controllers by name. */
export type ControllerName =
  | "certificatesigningrequest-approving-controller"
  | "certificatesigningrequest-cleaner-controller"
  | "certificatesigningrequest-signing-controller"
  | "clusterrole-aggregation-controller"
  | "cronjob-controller"
  | "daemonset-controller"
  | "deployment-controller"
  | "disruption-controller"
  | "endpoints-controller"
  | "endpointslice-controller"
  | "endpointslice-mirroring-controller"
  | "ephemeral-volume-controller"
  | "event-ttl"
  | "garbage-collector-controller"
  | "horizontal-pod-autoscaler-controller"
  | "ingress-status-controller"
  | "job-controller"
  | "namespace-controller"
  | "node-lifecycle-controller"
  | "persistentvolume-binder-controller"
  | "persistentvolume-protection-controller"
  | "persistentvolumeclaim-protection-controller"
  | "pod-garbage-collector-controller"
  | "replicaset-controller"
  | "replicationcontroller-controller"
  | "resourcequota-controller"
  | "root-ca-certificate-publisher-controller"
  | "service-lb-controller"
  | "serviceaccount-controller"
  | "statefulset-controller"
  | "storage-provisioner"
  | "taint-eviction-controller"
  | "ttl-controller"
  | "ttl-after-finished-controller"
  | "validatingadmissionpolicy-status-controller"
  | "scheduler";

/** The start function of every controller. */
const CONTROLLERS: Readonly<Record<ControllerName, (context: ControllerContext) => ControlPlaneComponent>> = {
  "certificatesigningrequest-approving-controller": startCertificateApprovingController,
  "certificatesigningrequest-cleaner-controller": startCertificateCleanerController,
  "certificatesigningrequest-signing-controller": startCertificateSigningController,
  "clusterrole-aggregation-controller": startClusterRoleAggregationController,
  "cronjob-controller": startCronJobController,
  "daemonset-controller": startDaemonSetController,
  "deployment-controller": startDeploymentController,
  "disruption-controller": startDisruptionController,
  "endpoints-controller": startEndpointsController,
  "endpointslice-controller": startEndpointSliceController,
  "endpointslice-mirroring-controller": startEndpointSliceMirroringController,
  "ephemeral-volume-controller": startEphemeralVolumeController,
  "event-ttl": startEventTtlController,
  "garbage-collector-controller": startGarbageCollectorController,
  "horizontal-pod-autoscaler-controller": startHorizontalPodAutoscalerController,
  "ingress-status-controller": startIngressStatusController,
  "job-controller": startJobController,
  "namespace-controller": startNamespaceController,
  "node-lifecycle-controller": startNodeLifecycleController,
  "persistentvolume-binder-controller": startPersistentVolumeBinderController,
  "persistentvolume-protection-controller": startVolumeProtectionController,
  "persistentvolumeclaim-protection-controller": startClaimProtectionController,
  "pod-garbage-collector-controller": startPodGarbageCollectorController,
  "replicaset-controller": startReplicaSetController,
  "replicationcontroller-controller": startReplicationController,
  "resourcequota-controller": startResourceQuotaController,
  "root-ca-certificate-publisher-controller": startRootCaCertificatePublisher,
  "service-lb-controller": startServiceLoadBalancerController,
  "serviceaccount-controller": startServiceAccountController,
  "statefulset-controller": startStatefulSetController,
  "storage-provisioner": startVolumeProvisioner,
  "taint-eviction-controller": startTaintEvictionController,
  "ttl-controller": startNodeTtlController,
  "ttl-after-finished-controller": startTtlAfterFinishedController,
  "validatingadmissionpolicy-status-controller": startPolicyStatusController,
  scheduler: startScheduler,
};

/** Starts all controllers but those in `without`, each with a context of its own. */
export function startControllers(start: StartComponent, without: readonly ControllerName[] = []): readonly ControlPlaneComponent[] {
  return Object.entries(CONTROLLERS).flatMap(([name, startController]) =>
    without.includes(name as ControllerName) ? [] : [start(name, startController)],
  );
}
/** Starts a component under a name. */
export type StartComponent = <T>(name: string, start: (context: ControllerContext) => T) => T;
