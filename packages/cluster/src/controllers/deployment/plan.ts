import type { Deployment, DeploymentStatus, ReplicaSet } from "pintle/kinds/apps/v1";
import { formatTimestamp } from "../../api/index.ts";
import { isSameTemplate } from "./pod-template.ts";
import { isScalingEvent, planProportionalScaling } from "./proportional-scaling.ts";
import { buildNewReplicaSetAnnotations, REVISION_ANNOTATION, selectReplicaSetsToDelete } from "./revision.ts";
import { computeNewReplicas, planRecreate, planRollingUpdate, type ReplicaSetScaling } from "./rolling-update.ts";
import { getReplicas, getRolloutLimits } from "./rollout-limits.ts";
import {
  type ConditionValue,
  computeStatus,
  getCondition,
  getProgressCondition,
  getProgressDeadline,
  isRolloutComplete,
  setCondition,
  setReplicaFailureCondition,
} from "./status.ts";

/** The actions of one reconcile pass of a Deployment. Every write enqueues the next pass. */
export interface DeploymentPlan {
  /** Create the ReplicaSet of the current template with this size and these annotations. */
  readonly create?: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> } | undefined;
  /** Update the new ReplicaSet, whose annotations or minReadySeconds differ from the Deployment's. */
  readonly update?: { readonly set: ReplicaSet; readonly annotations: Readonly<Record<string, string>> } | undefined;
  readonly scale: readonly ReplicaSetScaling[];
  readonly cleanup: readonly ReplicaSet[];
  /** The new value of the Deployment's revision annotation, if it changes. */
  readonly revision?: string | undefined;
  readonly status: DeploymentStatus;
  /** Milliseconds until the plan changes without any event. */
  readonly requeueAfter: number | undefined;
}

/**
 * Plans the next actions for a Deployment. `oldPods` is the number of running pods of old ReplicaSets: Recreate waits for the last one.
 * Pure.
 */
export function planDeployment(deployment: Deployment, sets: readonly ReplicaSet[], oldPods: number, now: number): DeploymentPlan {
  const byAge = [...sets].sort((a, b) => getCreationTime(a) - getCreationTime(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  const newSet = byAge.find((set) => isSameTemplate(set.spec.template, deployment.spec.template));
  const old = byAge.filter((set) => set !== newSet);
  const time = formatTimestamp(now);
  const computed = setReplicaFailureCondition(computeStatus(deployment, newSet, byAge, time), newSet, byAge, time);
  const buildPlan = (step: Partial<DeploymentPlan>, override?: ConditionValue): DeploymentPlan => {
    const condition = override ?? getProgressCondition(deployment, computed, newSet, now);
    const status = condition === undefined ? computed : setCondition(computed, condition, time, condition.reason === "ReplicaSetUpdated");
    const deadline = getProgressDeadline({ ...deployment, status });
    return { scale: [], cleanup: [], ...step, status, requeueAfter: deadline === undefined ? undefined : Math.max(0, deadline - now) };
  };

  if (deployment.metadata.deletionTimestamp !== undefined) return buildPlan({});
  const pause = getPauseCondition(deployment);
  if (deployment.spec.paused) return buildPlan({ scale: planProportionalScaling(deployment, newSet, old) }, pause);
  if (isScalingEvent(deployment, byAge)) return buildPlan({ scale: planProportionalScaling(deployment, newSet, old) }, pause);

  const recreate = deployment.spec.strategy?.type === "Recreate";
  if (recreate && (old.some((set) => getReplicas(set) > 0) || oldPods > 0))
    return buildPlan({ scale: planRecreate(newSet, old, 0) }, pause);

  const annotations = buildNewReplicaSetAnnotations(deployment, newSet, old);
  if (newSet === undefined) return buildPlan({ create: { replicas: computeNewReplicas(deployment, 0, old), annotations } }, pause);
  const revision =
    deployment.metadata.annotations?.[REVISION_ANNOTATION] === annotations[REVISION_ANNOTATION]
      ? undefined
      : annotations[REVISION_ANNOTATION];
  const stale =
    !isSameRecord(newSet.metadata.annotations ?? {}, annotations) ||
    (newSet.spec.minReadySeconds ?? 0) !== (deployment.spec.minReadySeconds ?? 0);
  // An update of annotations alone enqueues nothing, so the ReplicaSets are scaled in the same pass.
  const update = stale ? { set: newSet, annotations } : undefined;

  const scale = recreate ? planRecreate(newSet, old, getRolloutLimits(deployment).replicas) : planRollingUpdate(deployment, newSet, old);
  const cleanup = isRolloutComplete(deployment, computed) ? selectReplicaSetsToDelete(deployment, old) : [];
  return buildPlan({ update, scale, cleanup, revision }, pause ?? getFoundNewReplicaSetCondition(deployment, newSet));
}

const getCreationTime = (set: ReplicaSet) => Date.parse(set.metadata.creationTimestamp);

function isSameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Returns the Progressing condition for a pause or resume, both of which reset the progress deadline. */
function getPauseCondition(deployment: Deployment): ConditionValue | undefined {
  if (deployment.spec.progressDeadlineSeconds === undefined) return undefined;
  const last = getCondition(deployment.status, "Progressing");
  if (last?.reason === "ProgressDeadlineExceeded") return undefined;
  const wasPaused = last?.reason === "DeploymentPaused";
  if (deployment.spec.paused && !wasPaused) return unknownProgress("DeploymentPaused", "Deployment is paused");
  if (!deployment.spec.paused && wasPaused) return unknownProgress("DeploymentResumed", "Deployment is resumed");
  return undefined;
}
const unknownProgress = (reason: string, message: string): ConditionValue => ({ type: "Progressing", status: "Unknown", reason, message });

/** Returns the Progressing condition for a ReplicaSet that already exists, after a restart or a rollback. */
function getFoundNewReplicaSetCondition(deployment: Deployment, newSet: ReplicaSet): ConditionValue | undefined {
  if (deployment.spec.progressDeadlineSeconds === undefined || getCondition(deployment.status, "Progressing") !== undefined)
    return undefined;
  return { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message: `Found new replica set "${newSet.metadata.name}"` };
}
