import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { availableAt, isActive, isReady } from "../pod.ts";

/** What one look at a ReplicaSet and its pods leads to. */
export interface ReplicaSetStep {
  readonly create: number;
  readonly remove: readonly Pod[];
  readonly status: ReplicaSetStatus;
  /** When a ready pod becomes available without any event to say so. Milliseconds from now. */
  readonly again: number | undefined;
}

/** Pure. `failure` is the condition left by a create or delete that the server refused, if any. */
export function replicaSetStep(set: ReplicaSet, pods: readonly Pod[], now: number, failure?: ReplicaSetCondition): ReplicaSetStep {
  const active = pods.filter(isActive);
  const wanted = set.metadata.deletionTimestamp === undefined ? (set.spec.replicas ?? 1) : active.length;
  const surplus = Math.max(0, active.length - wanted);
  return {
    create: Math.max(0, wanted - active.length),
    remove: surplus === 0 ? [] : [...active].sort((a, b) => removalOrder(a, b, now)).slice(0, surplus),
    ...observe(set, pods, active, now, failure),
  };
}

function observe(
  set: ReplicaSet,
  pods: readonly Pod[],
  active: readonly Pod[],
  now: number,
  failure: ReplicaSetCondition | undefined,
): Pick<ReplicaSetStep, "status" | "again"> {
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const minReady = set.spec.minReadySeconds ?? 0;
  const times = active.map((pod) => availableAt(pod, minReady));
  const pending = times.filter((t): t is number => t !== undefined && t > now);
  const others = (set.status.conditions ?? []).filter((c) => c.type !== "ReplicaFailure");
  const old = set.status.conditions?.find((c) => c.type === "ReplicaFailure");
  const conditions = failure === undefined ? others : [...others, sameFailure(old, failure) ? (old as ReplicaSetCondition) : failure];
  return {
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => labels.every(([k, v]) => pod.metadata.labels?.[k] === v)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: times.filter((t) => t !== undefined && t <= now).length,
      terminatingReplicas: pods.filter((p) => p.metadata.deletionTimestamp !== undefined && !finished(p)).length,
      observedGeneration: set.metadata.generation,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
    again: pending.length === 0 ? undefined : Math.min(...pending) - now,
  };
}

const finished = (pod: Pod) => pod.status.phase === "Succeeded" || pod.status.phase === "Failed";

function sameFailure(old: ReplicaSetCondition | undefined, next: ReplicaSetCondition): boolean {
  return old !== undefined && old.status === next.status && old.reason === next.reason && old.message === next.message;
}

/** Who goes first: unassigned, not yet running, not ready, ready for the shortest time, restarted most, youngest. */
function removalOrder(a: Pod, b: Pod, now: number): number {
  const assigned = (p: Pod) => (p.spec.nodeName ? 1 : 0);
  const phase = (p: Pod) => ["Pending", "Unknown", "Running"].indexOf(p.status.phase ?? "Pending");
  const cost = (p: Pod) => Number(p.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
  const readyFor = (p: Pod) => now - (availableAt(p, 0) === undefined ? now : readySince(p));
  const restarts = (p: Pod) => Math.max(0, ...(p.status.containerStatuses ?? []).map((c) => c.restartCount));
  const born = (p: Pod) => Date.parse(p.metadata.creationTimestamp);
  return (
    assigned(a) - assigned(b) ||
    phase(a) - phase(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    cost(a) - cost(b) ||
    readyFor(a) - readyFor(b) ||
    restarts(b) - restarts(a) ||
    born(b) - born(a) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function readySince(pod: Pod): number {
  return Date.parse(pod.status.conditions?.find((c) => c.type === "Ready")?.lastTransitionTime ?? pod.metadata.creationTimestamp);
}
