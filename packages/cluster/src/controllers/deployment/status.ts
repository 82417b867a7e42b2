import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "pintle/kinds/apps/v1";
import { getReplicas, getRolloutLimits, sumReplicas } from "./rollout-limits.ts";

/** The value of a condition, without timestamps. */
export interface ConditionValue {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Computes the replica counts and the Available condition. Pure. */
export function computeStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: string,
): DeploymentStatus {
  const { replicas, maxUnavailable } = getRolloutLimits(deployment);
  const available = sumReplicas(all, (set) => set.status.availableReplicas);
  const isAvailable = available >= replicas - maxUnavailable;
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation,
    replicas: sumReplicas(all, (set) => set.status.replicas),
    updatedReplicas: newSet?.status.replicas ?? 0,
    readyReplicas: sumReplicas(all, (set) => set.status.readyReplicas),
    availableReplicas: available,
    terminatingReplicas: sumReplicas(all, (set) => set.status.terminatingReplicas),
    unavailableReplicas: Math.max(0, sumReplicas(all, getReplicas) - available),
    ...(deployment.status.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
    conditions: deployment.status.conditions ?? [],
  };
  return setCondition(
    status,
    isAvailable
      ? { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
    now,
  );
}

/** Returns the Progressing condition if the rollout's state changed. Pure. */
export function getProgressCondition(
  deployment: Deployment,
  next: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  now: number,
): ConditionValue | undefined {
  const deadline = deployment.spec.progressDeadlineSeconds;
  if (deadline === undefined || deadline === 2 ** 31 - 1) return undefined;
  const last = getCondition(deployment.status, "Progressing");
  if (next.replicas === next.updatedReplicas && last?.reason === "NewReplicaSetAvailable") return undefined;
  const subject = newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (isRolloutComplete(deployment, next)) {
    return { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: `${subject} has successfully progressed.` };
  }
  if (isProgressing(deployment.status, next)) {
    return { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: `${subject} is progressing.` };
  }
  const deadlineAt = getProgressDeadline(deployment);
  if (deadlineAt !== undefined && deadlineAt <= now) {
    return { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: `${subject} has timed out progressing.` };
  }
  return undefined;
}

/** Returns when a rollout without progress fails, in milliseconds; undefined if it is complete, paused or has already failed. */
export function getProgressDeadline(deployment: Deployment): number | undefined {
  const last = getCondition(deployment.status, "Progressing");
  const deadline = deployment.spec.progressDeadlineSeconds;
  if (deadline === undefined || last === undefined || last.status !== "True" || last.reason === "NewReplicaSetAvailable") return undefined;
  return last.lastUpdateTime === undefined ? undefined : Date.parse(last.lastUpdateTime) + deadline * 1000;
}

export function isRolloutComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const { replicas } = getRolloutLimits(deployment);
  return (
    status.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing(before: DeploymentStatus, next: DeploymentStatus): boolean {
  const count = (n: number | undefined) => n ?? 0;
  return (
    count(next.updatedReplicas) > count(before.updatedReplicas) ||
    count(next.replicas) - count(next.updatedReplicas) < count(before.replicas) - count(before.updatedReplicas) ||
    count(next.readyReplicas) > count(before.readyReplicas) ||
    count(next.availableReplicas) > count(before.availableReplicas)
  );
}

/** Copies the ReplicaFailure condition of the ReplicaSets to the Deployment, and removes it when they have none. Pure. */
export function setReplicaFailureCondition(
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: string,
): DeploymentStatus {
  const sets = newSet === undefined ? all : [newSet, ...all];
  const failure = sets.flatMap((set) => set.status.conditions ?? []).find(({ type }) => type === "ReplicaFailure");
  const otherConditions = (status.conditions ?? []).filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return { ...status, conditions: otherConditions };
  const { reason = "", message = "", status: is } = failure;
  return setCondition(status, { type: "ReplicaFailure", status: is as ConditionValue["status"], reason, message }, now);
}

export function getCondition(status: DeploymentStatus, type: ConditionValue["type"]): DeploymentCondition | undefined {
  return status.conditions?.find((c) => c.type === type);
}

/** Sets a condition. The transition time changes only with the status; an equal status and reason leave the condition unchanged. */
export function setCondition(status: DeploymentStatus, value: ConditionValue, now: string, refresh = false): DeploymentStatus {
  const old = getCondition(status, value.type);
  if (old !== undefined && old.status === value.status && old.reason === value.reason && !refresh) return status;
  const condition: DeploymentCondition = {
    ...value,
    lastUpdateTime: now,
    lastTransitionTime: old?.status === value.status ? old.lastTransitionTime : now,
  };
  return { ...status, conditions: [...(status.conditions ?? []).filter((c) => c.type !== value.type), condition] };
}
