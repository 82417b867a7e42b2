import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { limitsOf, sizeOf, sum } from "./limits.ts";

/** A ReplicaSet and the size it should get next. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly to: number;
}

/**
 * The next sizes of a Deployment's ReplicaSets; empty when nothing moves before pods change. Pure.
 * `fresh` has the current template and may not be made yet; `old` are the others, eldest first.
 */
export function rollingResizes(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const grown = freshSize(deployment, sizeOf(fresh), [fresh, ...old]);
  if (grown !== sizeOf(fresh)) return [{ set: fresh, to: grown }];
  const minAvailable = replicas - maxUnavailable;
  const missing = sizeOf(fresh) - (fresh.status.availableReplicas ?? 0);
  const room = sum([fresh, ...old], sizeOf) - minAvailable - missing;
  if (room <= 0) return [];
  const [withoutSick, spent] = shrink(
    old.map((set) => ({ set, to: sizeOf(set) })),
    room,
    ({ set, to }) => to - (set.status.availableReplicas ?? 0),
  );
  const available = sum([fresh, ...old], (set) => set.status.availableReplicas);
  const healthyRoom = Math.min(available - minAvailable, room - spent);
  const [next] = healthyRoom > 0 ? shrink(withoutSick, healthyRoom, ({ to }) => to) : [withoutSick];
  return next.filter(({ set, to }) => to !== sizeOf(set));
}

/** How large the current ReplicaSet may be, given everything that runs. */
export function freshSize(deployment: Deployment, size: number, all: readonly ReplicaSet[]): number {
  const { replicas, maxSurge } = limitsOf(deployment);
  if (deployment.spec.strategy?.type === "Recreate" || size > replicas) return replicas;
  const room = replicas + maxSurge - sum(all, sizeOf);
  return room <= 0 ? size : size + Math.min(room, replicas - size);
}

/** All old pods go before any new one comes. */
export function recreateResizes(fresh: ReplicaSet | undefined, old: readonly ReplicaSet[], replicas: number): readonly Resize[] {
  const leaving = old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
  if (leaving.length > 0) return leaving;
  return fresh !== undefined && sizeOf(fresh) !== replicas ? [{ set: fresh, to: replicas }] : [];
}

/** Takes up to `room` pods from the sets in turn, each giving at most what `spare` says. */
function shrink(sets: readonly Resize[], room: number, spare: (resize: Resize) => number): [Resize[], spent: number] {
  let spent = 0;
  const next = sets.map((resize) => {
    const take = Math.max(0, Math.min(room - spent, spare(resize), resize.to));
    spent += take;
    return { set: resize.set, to: resize.to - take };
  });
  return [next, spent];
}
