import { parseDuration } from "../../policy/index.ts";
import { findCondition, isConditionTrue } from "../api/conditions.ts";
import { PROVEN_ANNOTATION, ROLLED_BACK_ANNOTATION } from "../api/names.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterObjectSet } from "../api/types.ts";

/** The health of the newest revision. */
export type RevisionHealth =
  /** No further check: the revision has been healthy for long enough, or is itself a rollback. */
  | { readonly type: "settled" }
  /** The revision is checked again after so many milliseconds. */
  | { readonly type: "watching"; readonly checkAfter: number }
  /** The revision has now been healthy for long enough. */
  | { readonly type: "proven" }
  | { readonly type: "failed"; readonly reason: string };

const DEFAULT_AFTER = "10m";

/**
 * Determines the health of a revision: it fails if it has not rolled out `after` its creation, or is unavailable for that long before it was available for the whole `soak`.
 * A revision that was good once is not judged again, and one that was not reconciled yet cannot have failed.
 */
export function judgeRevision({ spec }: ExtensionPolicy, { metadata, status }: ClusterObjectSet, now: number): RevisionHealth {
  if (metadata.annotations?.[PROVEN_ANNOTATION] !== undefined || metadata.annotations?.[ROLLED_BACK_ANNOTATION] !== undefined) {
    return { type: "settled" };
  }
  const after = parseDuration(spec.onFailure?.after ?? DEFAULT_AFTER);
  const soak = parseDuration(spec.health?.soak ?? "0s");
  const conditions = status?.conditions ?? [];
  const [succeeded, available, progressing] = ["Succeeded", "Available", "Progressing"].map((type) => findCondition(conditions, type));
  if (progressing === undefined) return { type: "watching", checkAfter: after };
  if (!isConditionTrue(conditions, "Succeeded")) {
    const text = available === undefined || available.message === "" ? progressing.message : available.message;
    return judge(Date.parse(metadata.creationTimestamp!) + after, now, `has not rolled out for ${describe(after)}: ${text}`);
  }
  const since = Date.parse((available ?? succeeded)!.lastTransitionTime);
  if (available?.status === "True") {
    if (now >= since + soak) return { type: "proven" };
    // Availability changed since the rollout: the latest time by which the revision must be healthy.
    const last = Date.parse(succeeded!.lastTransitionTime) + soak + after;
    if (now >= last) return { type: "failed", reason: `was not available for ${describe(soak)} without a break` };
    return { type: "watching", checkAfter: Math.min(since + soak, last) - now };
  }
  return judge(since + after, now, `has been unavailable for ${describe(after)}: ${available?.message ?? ""}`);
}

function judge(deadline: number, now: number, reason: string): RevisionHealth {
  return now >= deadline ? { type: "failed", reason } : { type: "watching", checkAfter: deadline - now };
}

function describe(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds % 60 === 0 && seconds > 0 ? `${seconds / 60}m` : `${seconds}s`;
}
