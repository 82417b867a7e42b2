/** Why a key woke. Watched objects say which object and what happened to it; the queue adds "retry" and "requeue" of its own. */
export interface Reason {
  readonly event: WakeEvent;
  /** The watched object: its kind ("Pod"), namespace and name. */
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Which of several sources it came through ("owns", "pods", ...). */
  readonly source?: string | undefined;
}
/** "listed": part of a first list; "missed": found changed or gone by a relist; "external": an event source of the user's. */
export type WakeEvent = "added" | "modified" | "deleted" | "listed" | "missed" | "retry" | "requeue" | "resync" | "external";

/** A key that a thousand pods woke names the first few; the rest is counted by whoever merges. */
const KEPT = 10;

/** Both lists without repetitions, the first few. */
export function mergeReasons(before: readonly Reason[], more: readonly Reason[]): readonly Reason[] {
  if (before.length === 0 && more.length <= 1) return more;
  const merged = [...before];
  for (const reason of more) {
    if (merged.length >= KEPT) break;
    if (!merged.some((known) => sameReason(known, reason))) merged.push(reason);
  }
  return merged.length === before.length ? before : merged;
}

const sameReason = (a: Reason, b: Reason) =>
  a.event === b.event && a.name === b.name && a.kind === b.kind && a.namespace === b.namespace && a.source === b.source;

/** "Pod default/cache-0 modified", "retry". */
export function reasonText(reason: Reason): string {
  if (reason.kind === undefined) return reason.source === undefined ? reason.event : `${reason.source} ${reason.event}`;
  const name = reason.namespace === undefined ? reason.name : `${reason.namespace}/${reason.name}`;
  return `${reason.kind} ${name} ${reason.event}`;
}
