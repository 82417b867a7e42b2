import type { Pod, PodCondition } from "pintle/kinds/core/v1";

/** Why a condition has its status. */
export interface ConditionReason {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Builds a condition of a pod. The transition time changes only with the status. */
export function buildPodCondition(pod: Pod, type: string, holds: boolean, reason: ConditionReason | undefined, now: string): PodCondition {
  const status = holds ? "True" : "False";
  const old = pod.status.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  return { type, status, ...reason, lastTransitionTime, observedGeneration: pod.metadata.generation };
}
