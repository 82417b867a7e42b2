import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "pintle/kinds/apps/v1";
import { limitsOf, sizeOf, sum } from "./limits.ts";

/** The value of a condition, before times are filled in. */
export interface Say {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The counts and the Available condition; progress is another question. Pure. */
export function observed(deployment: Deployment, fresh: ReplicaSet | undefined, all: readonly ReplicaSet[], now: string): DeploymentStatus {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const available = sum(all, (set) => set.status.availableReplicas);
  const enough = available >= replicas - maxUnavailable;
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation,
    replicas: sum(all, (set) => set.status.replicas),
    updatedReplicas: fresh?.status.replicas ?? 0,
    readyReplicas: sum(all, (set) => set.status.readyReplicas),
    availableReplicas: available,
    terminatingReplicas: sum(all, (set) => set.status.terminatingReplicas),
    unavailableReplicas: Math.max(0, sum(all, sizeOf) - available),
    ...(deployment.status.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
    conditions: deployment.status.conditions ?? [],
  };
  return withCondition(
    status,
    enough
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

/** What can be said of a rollout's progress now, if anything new. Pure. */
export function progress(deployment: Deployment, next: DeploymentStatus, fresh: ReplicaSet | undefined, now: number): Say | undefined {
  const deadline = deployment.spec.progressDeadlineSeconds;
  if (deadline === undefined || deadline === 2 ** 31 - 1) return undefined;
  const last = conditionOf(deployment.status, "Progressing");
  if (next.replicas === next.updatedReplicas && last?.reason === "NewReplicaSetAvailable") return undefined;
  const what = fresh === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${fresh.metadata.name}"`;
  if (isComplete(deployment, next)) {
    return { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: `${what} has successfully progressed.` };
  }
  if (hasMoved(deployment.status, next)) {
    return { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: `${what} is progressing.` };
  }
  const due = progressDueAt(deployment);
  if (due !== undefined && due <= now) {
    return { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: `${what} has timed out progressing.` };
  }
  return undefined;
}

/** When a rollout that does not move counts as failed; undefined when it is done, paused or has failed already. Milliseconds. */
export function progressDueAt(deployment: Deployment): number | undefined {
  const last = conditionOf(deployment.status, "Progressing");
  const deadline = deployment.spec.progressDeadlineSeconds;
  if (deadline === undefined || last === undefined || last.status !== "True" || last.reason === "NewReplicaSetAvailable") return undefined;
  return last.lastUpdateTime === undefined ? undefined : Date.parse(last.lastUpdateTime) + deadline * 1000;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const { replicas } = limitsOf(deployment);
  return (
    status.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasMoved(before: DeploymentStatus, next: DeploymentStatus): boolean {
  const count = (n: number | undefined) => n ?? 0;
  return (
    count(next.updatedReplicas) > count(before.updatedReplicas) ||
    count(next.replicas) - count(next.updatedReplicas) < count(before.replicas) - count(before.updatedReplicas) ||
    count(next.readyReplicas) > count(before.readyReplicas) ||
    count(next.availableReplicas) > count(before.availableReplicas)
  );
}

/** What kept a ReplicaSet from making pods is the Deployment's trouble too, as long as it lasts. Pure. */
export function withFailures(
  status: DeploymentStatus,
  fresh: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: string,
): DeploymentStatus {
  const sets = fresh === undefined ? all : [fresh, ...all];
  const failure = sets.flatMap((set) => set.status.conditions ?? []).find(({ type }) => type === "ReplicaFailure");
  const others = (status.conditions ?? []).filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return { ...status, conditions: others };
  const { reason = "", message = "", status: is } = failure;
  return withCondition(status, { type: "ReplicaFailure", status: is as Say["status"], reason, message }, now);
}

export function conditionOf(status: DeploymentStatus, type: Say["type"]): DeploymentCondition | undefined {
  return status.conditions?.find((c) => c.type === type);
}

/** Transition time moves with the status alone; an unchanged status and reason leave the condition as it is. */
export function withCondition(status: DeploymentStatus, say: Say, now: string, refresh = false): DeploymentStatus {
  const old = conditionOf(status, say.type);
  if (old !== undefined && old.status === say.status && old.reason === say.reason && !refresh) return status;
  const made: DeploymentCondition = {
    ...say,
    lastUpdateTime: now,
    lastTransitionTime: old?.status === say.status ? old.lastTransitionTime : now,
  };
  return { ...status, conditions: [...(status.conditions ?? []).filter((c) => c.type !== say.type), made] };
}
