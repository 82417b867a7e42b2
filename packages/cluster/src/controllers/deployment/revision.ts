import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { getRolloutLimits } from "./rollout-limits.ts";

export const REVISION_ANNOTATION = "deployment.kubernetes.io/revision";
export const REVISION_HISTORY_ANNOTATION = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS_ANNOTATION = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS_ANNOTATION = "deployment.kubernetes.io/max-replicas";

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED = new Set([
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  DESIRED_REPLICAS_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
]);

export function getRevision(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[REVISION_ANNOTATION] ?? 0);
}

/** Builds the annotations of the new ReplicaSet: those copied from the Deployment, the revision and the revision history. */
export function buildNewReplicaSetAnnotations(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Record<string, string> {
  const existing = newSet?.metadata.annotations ?? {};
  const next = Math.max(0, ...old.map(getRevision)) + 1;
  const now = newSet === undefined ? 0 : getRevision(newSet);
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  const isRenumbered = now > 0 && now < next;
  const history = [existing[REVISION_HISTORY_ANNOTATION], isRenumbered ? String(now) : undefined].filter(
    (h) => h !== undefined && h !== "",
  );
  return {
    ...existing,
    ...Object.fromEntries(copied),
    [REVISION_ANNOTATION]: String(Math.max(now, next)),
    ...(history.length > 0 ? { [REVISION_HISTORY_ANNOTATION]: history.join(",") } : {}),
    ...buildReplicasAnnotations(deployment),
  };
}

export function buildReplicasAnnotations(deployment: Deployment): Record<string, string> {
  const { replicas, maxSurge } = getRolloutLimits(deployment);
  return { [DESIRED_REPLICAS_ANNOTATION]: String(replicas), [MAX_REPLICAS_ANNOTATION]: String(replicas + maxSurge) };
}

/** Selects the old, empty and observed ReplicaSets beyond the revision history limit, oldest first. */
export function selectReplicaSetsToDelete(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit ?? 10;
  const empty = old.filter(
    (set) =>
      set.spec.replicas === 0 &&
      set.status.replicas === 0 &&
      (set.metadata.generation ?? 0) <= (set.status.observedGeneration ?? 0) &&
      set.metadata.deletionTimestamp === undefined,
  );
  const surplus = old.length - limit;
  return surplus <= 0 ? [] : [...empty].sort((a, b) => getRevision(a) - getRevision(b)).slice(0, surplus);
}
