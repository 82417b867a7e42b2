import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { limitsOf, sizeOf, sum } from "./limits.ts";
import { DESIRED_REPLICAS, MAX_REPLICAS } from "./revision.ts";
import type { Resize } from "./scale.ts";

/** True when the wanted number changed since the sets were last sized: then they are resized before any rollout goes on. */
export function isResizeEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const { replicas } = limitsOf(deployment);
  return sets.some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
    return sizeOf(set) > 0 && desired !== undefined && Number(desired) !== replicas;
  });
}

/** Sizes after the wanted number changed: one set follows it; in the middle of a rollout all of them share the change. Pure. */
export function resizeTogether(deployment: Deployment, fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): readonly Resize[] {
  const { replicas, maxSurge } = limitsOf(deployment);
  const sets = fresh === undefined ? [...old] : [...old, fresh];
  const active = sets.filter((set) => sizeOf(set) > 0);
  const single = active.length === 1 ? active[0] : active.length === 0 ? (fresh ?? old.at(-1)) : undefined;
  if (single !== undefined) return sizeOf(single) === replicas ? [] : [{ set: single, to: replicas }];
  if (fresh !== undefined && sizeOf(fresh) === replicas && (fresh.status.availableReplicas ?? 0) === replicas) {
    return old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
  }
  if (deployment.spec.strategy?.type === "Recreate") return [];
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const change = allowed - sum(active, sizeOf);
  // Largest first, younger first among equals: rounding then falls where it shows least.
  const ordered = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || Math.sign(change) * (age(b) - age(a)));
  let left = change;
  const resized = ordered.map((set) => {
    const part = change === 0 ? 0 : proportion(set, deployment, left, change);
    left -= part;
    return { set, to: sizeOf(set) + part };
  });
  const [first] = resized;
  if (first !== undefined && left !== 0) resized[0] = { set: first.set, to: Math.max(0, first.to + left) };
  return resized.filter(({ set, to }) => to !== sizeOf(set));
}

const age = (set: ReplicaSet) => Date.parse(set.metadata.creationTimestamp);

/** A set's share of the change, by its part of the size all sets had together, never more than what is left of it. */
function proportion(set: ReplicaSet, deployment: Deployment, left: number, change: number): number {
  const { replicas, maxSurge } = limitsOf(deployment);
  if (sizeOf(set) === 0) return 0;
  const before = Number(set.metadata.annotations?.[MAX_REPLICAS] ?? 0) || deployment.status.replicas || 1;
  const share = Math.round((sizeOf(set) * (replicas + maxSurge)) / before) - sizeOf(set);
  return change > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left, -sizeOf(set));
}
