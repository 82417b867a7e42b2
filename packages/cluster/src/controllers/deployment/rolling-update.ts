import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { getReplicas, getRolloutLimits, sumReplicas } from "./rollout-limits.ts";

/** A ReplicaSet and its next number of replicas. */
export interface ReplicaSetScaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/**
 * Plans the next sizes of a Deployment's ReplicaSets; empty if the rollout waits for pods. `newSet` has the current template, `old` are the
 * others, oldest first. Pure.
 */
export function planRollingUpdate(deployment: Deployment, newSet: ReplicaSet, old: readonly ReplicaSet[]): readonly ReplicaSetScaling[] {
  const { replicas, maxUnavailable } = getRolloutLimits(deployment);
  const newReplicas = computeNewReplicas(deployment, getReplicas(newSet), [newSet, ...old]);
  if (newReplicas !== getReplicas(newSet)) return [{ set: newSet, replicas: newReplicas }];
  const minAvailable = replicas - maxUnavailable;
  const missing = getReplicas(newSet) - (newSet.status.availableReplicas ?? 0);
  const maxScaledDown = sumReplicas([newSet, ...old], getReplicas) - minAvailable - missing;
  if (maxScaledDown <= 0) return [];
  const [withoutUnhealthy, removed] = scaleDown(
    old.map((set) => ({ set, replicas: getReplicas(set) })),
    maxScaledDown,
    ({ set, replicas }) => replicas - (set.status.availableReplicas ?? 0),
  );
  const available = sumReplicas([newSet, ...old], (set) => set.status.availableReplicas);
  const maxHealthyScaledDown = Math.min(available - minAvailable, maxScaledDown - removed);
  const [next] =
    maxHealthyScaledDown > 0 ? scaleDown(withoutUnhealthy, maxHealthyScaledDown, ({ replicas }) => replicas) : [withoutUnhealthy];
  return next.filter(({ set, replicas }) => replicas !== getReplicas(set));
}

/** Computes how large the new ReplicaSet may be, given the total number of pods. */
export function computeNewReplicas(deployment: Deployment, size: number, all: readonly ReplicaSet[]): number {
  const { replicas, maxSurge } = getRolloutLimits(deployment);
  if (deployment.spec.strategy?.type === "Recreate" || size > replicas) return replicas;
  const limit = replicas + maxSurge - sumReplicas(all, getReplicas);
  return limit <= 0 ? size : size + Math.min(limit, replicas - size);
}

/** Plans a Recreate rollout: every old pod ends before a new one starts. */
export function planRecreate(newSet: ReplicaSet | undefined, old: readonly ReplicaSet[], replicas: number): readonly ReplicaSetScaling[] {
  const scaledDown = old.filter((set) => getReplicas(set) > 0).map((set) => ({ set, replicas: 0 }));
  if (scaledDown.length > 0) return scaledDown;
  return newSet !== undefined && getReplicas(newSet) !== replicas ? [{ set: newSet, replicas }] : [];
}

/** Removes up to `maxScaledDown` pods from the ReplicaSets in order, at most `spare` from each. */
function scaleDown(
  sets: readonly ReplicaSetScaling[],
  limit: number,
  spare: (scaling: ReplicaSetScaling) => number,
): [ReplicaSetScaling[], spent: number] {
  let removed = 0;
  const next = sets.map((scaling) => {
    const count = Math.max(0, Math.min(limit - removed, spare(scaling), scaling.replicas));
    removed += count;
    return { set: scaling.set, replicas: scaling.replicas - count };
  });
  return [next, removed];
}
