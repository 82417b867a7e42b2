import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { DESIRED_REPLICAS_ANNOTATION, MAX_REPLICAS_ANNOTATION } from "./revision.ts";
import type { ReplicaSetScaling } from "./rolling-update.ts";
import { getReplicas, getRolloutLimits, sumReplicas } from "./rollout-limits.ts";

/** Returns whether the desired number changed since the ReplicaSets were last scaled. They are then scaled before the rollout continues. */
export function isScalingEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const { replicas } = getRolloutLimits(deployment);
  return sets.some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS_ANNOTATION];
    return getReplicas(set) > 0 && desired !== undefined && Number(desired) !== replicas;
  });
}

/**
 * Plans the sizes after the desired number changed: a single active ReplicaSet follows it; during a rollout all share the change
 * proportionally. Pure.
 */
export function planProportionalScaling(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly ReplicaSetScaling[] {
  const { replicas, maxSurge } = getRolloutLimits(deployment);
  const sets = newSet === undefined ? [...old] : [...old, newSet];
  const active = sets.filter((set) => getReplicas(set) > 0);
  const single = active.length === 1 ? active[0] : active.length === 0 ? (newSet ?? old.at(-1)) : undefined;
  if (single !== undefined) return getReplicas(single) === replicas ? [] : [{ set: single, replicas }];
  if (newSet !== undefined && getReplicas(newSet) === replicas && (newSet.status.availableReplicas ?? 0) === replicas) {
    return old.filter((set) => getReplicas(set) > 0).map((set) => ({ set, replicas: 0 }));
  }
  if (deployment.spec.strategy?.type === "Recreate") return [];
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const totalChange = allowed - sumReplicas(active, getReplicas);
  // Largest first, newest first among equals, so that the rounding remainder goes to the largest.
  const ordered = [...active].sort(
    (a, b) => getReplicas(b) - getReplicas(a) || Math.sign(totalChange) * (getCreationTime(b) - getCreationTime(a)),
  );
  let remaining = totalChange;
  const scaled = ordered.map((set) => {
    const setChange = totalChange === 0 ? 0 : getProportion(set, deployment, remaining, totalChange);
    remaining -= setChange;
    return { set, replicas: getReplicas(set) + setChange };
  });
  const [first] = scaled;
  if (first !== undefined && remaining !== 0) scaled[0] = { set: first.set, replicas: Math.max(0, first.replicas + remaining) };
  return scaled.filter(({ set, replicas }) => replicas !== getReplicas(set));
}

const getCreationTime = (set: ReplicaSet) => Date.parse(set.metadata.creationTimestamp);

/** Returns the share of the change for one ReplicaSet, proportional to its size and limited to the remaining change. */
function getProportion(set: ReplicaSet, deployment: Deployment, remaining: number, totalChange: number): number {
  const { replicas, maxSurge } = getRolloutLimits(deployment);
  if (getReplicas(set) === 0) return 0;
  const previousMax = Number(set.metadata.annotations?.[MAX_REPLICAS_ANNOTATION] ?? 0) || deployment.status.replicas || 1;
  const proportionalChange = Math.round((getReplicas(set) * (replicas + maxSurge)) / previousMax) - getReplicas(set);
  return totalChange > 0
    ? Math.min(Math.max(proportionalChange, 0), remaining)
    : Math.max(Math.min(proportionalChange, 0), remaining, -getReplicas(set));
}
