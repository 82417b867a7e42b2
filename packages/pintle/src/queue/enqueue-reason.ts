/** Why a key was enqueued: a change of a watched object, or "retry" and "requeue" of the queue itself. */
export interface EnqueueReason {
  readonly event: EnqueueEvent;
  /** The watched object: its kind ("Pod"), namespace and name. */
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The event source ("owns", "pods", ...). */
  readonly source?: string | undefined;
}
/** "listed": part of an initial list; "missed": found changed or deleted by a relist; "external": an event source of the user. */
export type EnqueueEvent = "added" | "modified" | "deleted" | "listed" | "missed" | "retry" | "requeue" | "resync" | "external";

/** A key enqueued by a thousand pods keeps the first few reasons. */
const MAX_REASONS = 10;

/** Merges two lists of reasons without duplicates, up to a limit. */
export function mergeReasons(before: readonly EnqueueReason[], more: readonly EnqueueReason[]): readonly EnqueueReason[] {
  if (before.length === 0 && more.length <= 1) return more;
  const merged = [...before];
  for (const reason of more) {
    if (merged.length >= MAX_REASONS) break;
    if (!merged.some((known) => isSameReason(known, reason))) merged.push(reason);
  }
  return merged.length === before.length ? before : merged;
}

const isSameReason = (a: EnqueueReason, b: EnqueueReason) =>
  a.event === b.event && a.name === b.name && a.kind === b.kind && a.namespace === b.namespace && a.source === b.source;

/** Formats a reason: "Pod default/cache-0 modified", "retry". */
export function formatReason(reason: EnqueueReason): string {
  if (reason.kind === undefined) return reason.source === undefined ? reason.event : `${reason.source} ${reason.event}`;
  const name = reason.namespace === undefined ? reason.name : `${reason.namespace}/${reason.name}`;
  return `${reason.kind} ${name} ${reason.event}`;
}
