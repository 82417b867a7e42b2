import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";

/** How far a rolling update may go above and below the wanted number of pods. */
export interface Limits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export function limitsOf(deployment: Deployment): Limits {
  const replicas = deployment.spec.replicas ?? 1;
  if (deployment.spec.strategy?.type === "Recreate" || replicas === 0) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = share(maxSurge, replicas, Math.ceil);
  const unavailable = share(maxUnavailable, replicas, Math.floor);
  // Rounding may leave no way to move at all; one pod may then be missing.
  return { replicas, maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

function share(value: number | string, of: number, round: (n: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * of) / 100);
}

export const sizeOf = (set: ReplicaSet) => set.spec.replicas ?? 1;
export const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined) =>
  sets.reduce((total, set) => total + (of(set) ?? 0), 0);
