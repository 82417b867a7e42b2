import { findCondition, isConditionTrue, setCondition } from "../api/conditions.ts";
import type { ClusterObjectSet, ClusterObjectSetStatus, Condition } from "../api/types.ts";

const MINUTE_MS = 60_000;

/** The status of a revision while it is reconciled. Every change replaces `status`. */
export interface ObjectSetStatusDraft {
  status: ClusterObjectSetStatus;
  readonly setProgressing: (reason: "RollingOut" | "Retrying" | "Succeeded", message: string) => void;
  readonly setNotProgressing: (reason: string, message: string) => void;
  readonly setAvailable: (status: Condition["status"], reason: string, message: string) => void;
  readonly setSucceeded: () => void;
  /** Reports a failure that is retried. */
  readonly setRetrying: (message: string) => void;
  /** Returns whether a condition changed. */
  readonly setArchived: () => boolean;
}

/** How long a revision may still take, in milliseconds; undefined without a deadline. */
export function timeUntilDeadline({ metadata, spec, status }: ClusterObjectSet, now: number): number | undefined {
  const minutes = spec.progressDeadlineMinutes ?? 0;
  if (minutes <= 0 || isConditionTrue(status?.conditions, "Succeeded")) return undefined;
  if (spec.lifecycleState === "Archived" || metadata.deletionTimestamp !== undefined) return undefined;
  return Date.parse(metadata.creationTimestamp!) + minutes * MINUTE_MS - now;
}

/** Begins with the stored status. */
export function createObjectSetStatusDraft(objectSet: ClusterObjectSet, now: number): ObjectSetStatusDraft {
  const { generation = 0 } = objectSet.metadata;
  const remaining = timeUntilDeadline(objectSet, now);
  const set = (type: string, status: Condition["status"], reason: string, message: string) => {
    const condition = { type, status, reason, message, observedGeneration: generation };
    draft.status = { ...draft.status, conditions: setCondition(draft.status.conditions ?? [], condition, now) };
  };
  const draft: ObjectSetStatusDraft = {
    status: objectSet.status ?? {},
    setProgressing(reason, message) {
      if (reason !== "Succeeded" && remaining !== undefined && remaining <= 0) {
        const minutes = objectSet.spec.progressDeadlineMinutes;
        const text = `Revision has not rolled out for ${minutes} minute(s). Last status: ${message}`;
        set("Progressing", "False", "ProgressDeadlineExceeded", text);
      } else set("Progressing", "True", reason, message);
    },
    setNotProgressing: (reason, message) => set("Progressing", "False", reason, message),
    setAvailable: (status, reason, message) => set("Available", status, reason, message),
    setSucceeded: () => set("Succeeded", "True", "Succeeded", "Revision succeeded rolling out."),
    setRetrying(message) {
      draft.setProgressing("Retrying", message);
      if (findCondition(draft.status.conditions, "Available") !== undefined) draft.setAvailable("Unknown", "Reconciling", message);
    },
    setArchived() {
      const isArchived = (type: string) => {
        const condition = findCondition(draft.status.conditions, type);
        return condition?.reason === "Archived" && condition.observedGeneration === generation;
      };
      if (isArchived("Progressing") && isArchived("Available")) return false;
      draft.setNotProgressing("Archived", "revision is archived");
      draft.setAvailable("Unknown", "Archived", "revision is archived");
      return true;
    },
  };
  return draft;
}
