import type { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { limitsOf } from "./limits.ts";

export const REVISION = "deployment.kubernetes.io/revision";
export const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

/** Annotations a Deployment does not hand down to its ReplicaSets. */
const OWN = new Set([
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
]);

export function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0);
}

/** Annotations of the current ReplicaSet: handed down, plus its place in history. */
export function freshAnnotations(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Record<string, string> {
  const before = fresh?.metadata.annotations ?? {};
  const next = Math.max(0, ...old.map(revisionOf)) + 1;
  const now = fresh === undefined ? 0 : revisionOf(fresh);
  const handedDown = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  const moved = now > 0 && now < next;
  const history = [before[REVISION_HISTORY], moved ? String(now) : undefined].filter((h) => h !== undefined && h !== "");
  return {
    ...before,
    ...Object.fromEntries(handedDown),
    [REVISION]: String(Math.max(now, next)),
    ...(history.length > 0 ? { [REVISION_HISTORY]: history.join(",") } : {}),
    ...sizeAnnotations(deployment),
  };
}

export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const { replicas, maxSurge } = limitsOf(deployment);
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge) };
}

/** Old, empty and settled ReplicaSets beyond the history limit, eldest first. */
export function forgotten(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit ?? 10;
  const empty = old.filter(
    (set) =>
      set.spec.replicas === 0 &&
      set.status.replicas === 0 &&
      (set.metadata.generation ?? 0) <= (set.status.observedGeneration ?? 0) &&
      set.metadata.deletionTimestamp === undefined,
  );
  const surplus = old.length - limit;
  return surplus <= 0 ? [] : [...empty].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, surplus);
}
