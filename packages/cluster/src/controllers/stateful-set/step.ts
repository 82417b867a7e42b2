import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { availableAt } from "../pod.ts";
import { REVISION_LABEL } from "./identity.ts";
import { isInRange, ordinalOf, sizeOf, startOf } from "./ordinals.ts";

/** The names of the revision pods had, and of the one they should get. */
export interface Revisions {
  readonly current: string;
  readonly update: string;
}

/** What one look at a StatefulSet and its pods leads to. */
export interface StatefulSetStep {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[];
  readonly remove: readonly Pod[];
  /** Milliseconds until a ready pod counts as available, where that alone is waited for. */
  readonly again: number | undefined;
}

/** Pure. One pod at a time and in order, unless the set says "Parallel". */
export function statefulSetStep(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, now: number): StatefulSetStep {
  const minReady = set.spec.minReadySeconds ?? 0;
  const inOrder = set.spec.podManagementPolicy !== "Parallel";
  const placed = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [{ pod, ordinal }];
  });
  const byOrdinal = new Map(placed.map(({ pod, ordinal }) => [ordinal, pod]));
  const replicas = Array.from({ length: sizeOf(set) }, (_, i) => ({ ordinal: startOf(set) + i, pod: byOrdinal.get(startOf(set) + i) }));
  const condemned = placed.filter(({ ordinal }) => !isInRange(set, ordinal)).sort((a, b) => b.ordinal - a.ordinal);
  const due = pods.map((pod) => availableAt(pod, minReady)).filter((time): time is number => time !== undefined && time > now);
  const again = due.length === 0 ? undefined : Math.min(...due) - now;
  const unavailable = (pod: Pod | undefined) =>
    pod === undefined || isGoing(pod) || (availableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) > now;
  const step = (create: StatefulSetStep["create"], remove: readonly Pod[]): StatefulSetStep => ({ create, remove, again });

  const create: { readonly ordinal: number; readonly revision: string }[] = [];
  const remove: Pod[] = [];
  for (const { ordinal, pod } of replicas) {
    if (pod === undefined) create.push({ ordinal, revision: revisionFor(set, ordinal, revisions) });
    else if (isOver(pod)) {
      if (!isGoing(pod)) remove.push(pod);
    } else if (!inOrder || !unavailable(pod)) continue;
    // In order, nobody comes before the one in front is available.
    if (inOrder) return step(create, remove);
  }
  if (create.length + remove.length > 0) return step(create, remove);

  const sick = replicas.find(({ pod }) => unavailable(pod))?.pod ?? [...condemned].reverse().find(({ pod }) => unavailable(pod))?.pod;
  for (const { pod } of condemned) {
    if (isGoing(pod)) {
      if (inOrder) return step([], remove);
      continue;
    }
    // In order, a healthy pod is not taken while another is sick.
    if (inOrder && sick !== undefined && sick !== pod) return step([], remove);
    remove.push(pod);
    if (inOrder) return step([], remove);
  }
  if (remove.length > 0 || set.spec.updateStrategy?.type === "OnDelete") return step([], remove);

  const { partition = 0, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const room = most(maxUnavailable, sizeOf(set)) - replicas.filter(({ pod }) => unavailable(pod)).length;
  const stale = [...replicas].reverse().flatMap(({ ordinal, pod }) => {
    const old = pod !== undefined && pod.metadata.labels?.[REVISION_LABEL] !== revisions.update && !isGoing(pod);
    return old && ordinal - startOf(set) >= partition ? [pod] : [];
  });
  return step([], stale.slice(0, Math.max(0, room)));
}

const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isOver = ({ status }: Pod) => status.phase === "Failed" || status.phase === "Succeeded";

function most(value: number | string | undefined, of: number): number {
  if (value === undefined) return 1;
  return Math.max(1, typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100));
}

/** Below the partition, and in front of a rollout that has not come so far, pods are made as they were. */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: Revisions): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete" || current === update) return update;
  const until = rollingUpdate?.partition === undefined ? (set.status.currentReplicas ?? 0) : rollingUpdate.partition;
  return ordinal < startOf(set) + until ? current : update;
}
