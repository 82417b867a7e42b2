import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { getPodAvailableAt, isPodActive, isPodFinished, isPodReady } from "../shared/pod-readiness.ts";

/** The actions of one reconcile pass of a ReplicaSet. */
export interface ReplicaSetPlan {
  readonly create: number;
  readonly remove: readonly Pod[];
  readonly status: ReplicaSetStatus;
  /** Milliseconds until a ready pod becomes available without any event. */
  readonly requeueAfter: number | undefined;
}

/**
 * Plans the pods to create and delete, and the next status. `failure` is the condition for a create or delete that the API server refused.
 * Pure.
 */
export function planReplicaSet(set: ReplicaSet, pods: readonly Pod[], now: number, failure?: ReplicaSetCondition): ReplicaSetPlan {
  const active = pods.filter(isPodActive);
  const desired = set.metadata.deletionTimestamp === undefined ? (set.spec.replicas ?? 1) : active.length;
  const surplus = Math.max(0, active.length - desired);
  return {
    create: Math.max(0, desired - active.length),
    remove: surplus === 0 ? [] : [...active].sort((a, b) => compareDeletionRank(a, b, now)).slice(0, surplus),
    ...computeStatus(set, pods, active, now, failure),
  };
}

function computeStatus(
  set: ReplicaSet,
  pods: readonly Pod[],
  active: readonly Pod[],
  now: number,
  failure: ReplicaSetCondition | undefined,
): Pick<ReplicaSetPlan, "status" | "requeueAfter"> {
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const minReady = set.spec.minReadySeconds ?? 0;
  const times = active.map((pod) => getPodAvailableAt(pod, minReady));
  const pending = times.filter((t): t is number => t !== undefined && t > now);
  const otherConditions = (set.status.conditions ?? []).filter((c) => c.type !== "ReplicaFailure");
  const old = set.status.conditions?.find((c) => c.type === "ReplicaFailure");
  const conditions =
    failure === undefined ? otherConditions : [...otherConditions, isSameFailure(old, failure) ? (old as ReplicaSetCondition) : failure];
  return {
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => labels.every(([k, v]) => pod.metadata.labels?.[k] === v)).length,
      readyReplicas: active.filter(isPodReady).length,
      availableReplicas: times.filter((t) => t !== undefined && t <= now).length,
      terminatingReplicas: pods.filter((p) => p.metadata.deletionTimestamp !== undefined && !isPodFinished(p)).length,
      observedGeneration: set.metadata.generation,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
    requeueAfter: pending.length === 0 ? undefined : Math.min(...pending) - now,
  };
}

function isSameFailure(old: ReplicaSetCondition | undefined, next: ReplicaSetCondition): boolean {
  return old !== undefined && old.status === next.status && old.reason === next.reason && old.message === next.message;
}

/**
 * Orders pods for deletion: unassigned, not running, not ready, lowest deletion cost, ready for the shortest time, most restarts, newest
 * first.
 */
function compareDeletionRank(a: Pod, b: Pod, now: number): number {
  const rankAssigned = (p: Pod) => (p.spec.nodeName ? 1 : 0);
  const phase = (p: Pod) => ["Pending", "Unknown", "Running"].indexOf(p.status.phase ?? "Pending");
  const deletionCost = (p: Pod) => Number(p.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
  const readyFor = (p: Pod) => now - (getPodAvailableAt(p, 0) === undefined ? now : getReadySince(p));
  const restarts = (p: Pod) => Math.max(0, ...(p.status.containerStatuses ?? []).map((c) => c.restartCount));
  const createdAt = (p: Pod) => Date.parse(p.metadata.creationTimestamp);
  return (
    rankAssigned(a) - rankAssigned(b) ||
    phase(a) - phase(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    readyFor(a) - readyFor(b) ||
    restarts(b) - restarts(a) ||
    createdAt(b) - createdAt(a) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function getReadySince(pod: Pod): number {
  return Date.parse(pod.status.conditions?.find((c) => c.type === "Ready")?.lastTransitionTime ?? pod.metadata.creationTimestamp);
}
