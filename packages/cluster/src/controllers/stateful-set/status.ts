import type { StatefulSet, StatefulSetStatus } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { getPodAvailableAt, isPodReady } from "../shared/pod-readiness.ts";
import type { Revisions } from "./plan.ts";
import { REVISION_LABEL } from "./pod-identity.ts";

/** Computes the replica counts and revisions. The update revision becomes the current one when all pods are updated. Pure. */
export function computeStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  collisions: number,
  now: number,
): StatefulSetStatus {
  const minReady = set.spec.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  const isOf = (revision: string) => (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && pod.metadata.labels?.[REVISION_LABEL] === revision;
  const isRunning = ({ status }: Pod) => status.phase === "Running";
  const replicas = count(() => true);
  const readyReplicas = count((pod) => isRunning(pod) && isPodReady(pod));
  const updatedReplicas = count(isOf(revisions.update));
  const wanted = set.spec.replicas ?? 1;
  const rolling = set.spec.updateStrategy?.type !== "OnDelete";
  const complete = rolling && updatedReplicas === replicas && readyReplicas === replicas && replicas === wanted;
  return {
    observedGeneration: set.metadata.generation,
    replicas,
    readyReplicas,
    currentReplicas: complete ? updatedReplicas : count(isOf(revisions.current)),
    updatedReplicas,
    currentRevision: complete ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: collisions,
    availableReplicas: count((pod) => isRunning(pod) && (getPodAvailableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) <= now),
    ...(set.status.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
