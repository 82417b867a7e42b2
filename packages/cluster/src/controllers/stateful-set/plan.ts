import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { getPodAvailableAt, isPodFinished, isPodTerminating } from "../shared/pod-readiness.ts";
import { getOrdinal, getReplicas, getStartOrdinal, isOrdinalInRange } from "./ordinals.ts";
import { REVISION_LABEL } from "./pod-identity.ts";

/** The names of the current and the update revision. */
export interface Revisions {
  readonly current: string;
  readonly update: string;
}

/** The actions of one reconcile pass of a StatefulSet. */
export interface StatefulSetPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[];
  readonly remove: readonly Pod[];
  /** Milliseconds until a ready pod counts as available. */
  readonly requeueAfter: number | undefined;
}

/** Plans the pods to create and delete: one at a time and in order, unless the pod management policy is "Parallel". Pure. */
export function planStatefulSet(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, now: number): StatefulSetPlan {
  const minReady = set.spec.minReadySeconds ?? 0;
  const inOrder = set.spec.podManagementPolicy !== "Parallel";
  const placed = pods.flatMap((pod) => {
    const ordinal = getOrdinal(set, pod);
    return ordinal === undefined ? [] : [{ pod, ordinal }];
  });
  const byOrdinal = new Map(placed.map(({ pod, ordinal }) => [ordinal, pod]));
  const replicas = Array.from({ length: getReplicas(set) }, (_, i) => ({
    ordinal: getStartOrdinal(set) + i,
    pod: byOrdinal.get(getStartOrdinal(set) + i),
  }));
  const condemned = placed.filter(({ ordinal }) => !isOrdinalInRange(set, ordinal)).sort((a, b) => b.ordinal - a.ordinal);
  const due = pods.map((pod) => getPodAvailableAt(pod, minReady)).filter((time): time is number => time !== undefined && time > now);
  const requeueAfter = due.length === 0 ? undefined : Math.min(...due) - now;
  const unavailable = (pod: Pod | undefined) =>
    pod === undefined || isPodTerminating(pod) || (getPodAvailableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) > now;
  const buildPlan = (create: StatefulSetPlan["create"], remove: readonly Pod[]): StatefulSetPlan => ({ create, remove, requeueAfter });

  const create: { readonly ordinal: number; readonly revision: string }[] = [];
  const remove: Pod[] = [];
  for (const { ordinal, pod } of replicas) {
    if (pod === undefined) create.push({ ordinal, revision: selectRevision(set, ordinal, revisions) });
    else if (isPodFinished(pod)) {
      if (!isPodTerminating(pod)) remove.push(pod);
    } else if (!inOrder || !unavailable(pod)) continue;
    // In order, no pod is created before the previous one is available.
    if (inOrder) return buildPlan(create, remove);
  }
  if (create.length + remove.length > 0) return buildPlan(create, remove);

  const sick = replicas.find(({ pod }) => unavailable(pod))?.pod ?? [...condemned].reverse().find(({ pod }) => unavailable(pod))?.pod;
  for (const { pod } of condemned) {
    if (isPodTerminating(pod)) {
      if (inOrder) return buildPlan([], remove);
      continue;
    }
    // In order, no healthy pod is deleted while another is unavailable.
    if (inOrder && sick !== undefined && sick !== pod) return buildPlan([], remove);
    remove.push(pod);
    if (inOrder) return buildPlan([], remove);
  }
  if (remove.length > 0 || set.spec.updateStrategy?.type === "OnDelete") return buildPlan([], remove);

  const { partition = 0, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const maxUpdated = resolveMaxUnavailable(maxUnavailable, getReplicas(set)) - replicas.filter(({ pod }) => unavailable(pod)).length;
  const stale = [...replicas].reverse().flatMap(({ ordinal, pod }) => {
    const old = pod !== undefined && pod.metadata.labels?.[REVISION_LABEL] !== revisions.update && !isPodTerminating(pod);
    return old && ordinal - getStartOrdinal(set) >= partition ? [pod] : [];
  });
  return buildPlan([], stale.slice(0, Math.max(0, maxUpdated)));
}

function resolveMaxUnavailable(value: number | string | undefined, of: number): number {
  if (value === undefined) return 1;
  return Math.max(1, typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100));
}

/** Selects the revision for an ordinal: the current one below the partition, or before the rollout has reached it. */
function selectRevision(set: StatefulSet, ordinal: number, { current, update }: Revisions): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete" || current === update) return update;
  const until = rollingUpdate?.partition === undefined ? (set.status.currentReplicas ?? 0) : rollingUpdate.partition;
  return ordinal < getStartOrdinal(set) + until ? current : update;
}
