import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";

/** The number of pods a rolling update may run above and below the desired number. */
export interface RolloutLimits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export function getRolloutLimits(deployment: Deployment): RolloutLimits {
  const replicas = deployment.spec.replicas ?? 1;
  if (deployment.spec.strategy?.type === "Recreate" || replicas === 0) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolvePercentage(maxSurge, replicas, Math.ceil);
  const unavailable = resolvePercentage(maxUnavailable, replicas, Math.floor);
  // Rounding can yield zero for both limits; one pod may then be unavailable.
  return { replicas, maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

function resolvePercentage(value: number | string, of: number, round: (n: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * of) / 100);
}

export const getReplicas = (set: ReplicaSet) => set.spec.replicas ?? 1;
export const sumReplicas = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined) =>
  sets.reduce((total, set) => total + (of(set) ?? 0), 0);
