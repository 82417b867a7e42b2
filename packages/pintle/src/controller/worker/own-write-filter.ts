import type { ObjectChange, StoredObject } from "../../cache/index.ts";
import type { EnqueueReason, WorkQueue } from "../../queue/index.ts";

/** An event that arrived while its key was being reconciled. */
interface DeferredEvent {
  readonly reason: EnqueueReason;
  readonly priority: number;
  readonly writeId: string;
}

/** The own writes of one key while it is being reconciled. */
export interface OwnWrites {
  /** Records the response of an own write: its watch event enqueues nothing. */
  recordWrite(object: { readonly metadata: { readonly uid: string; readonly resourceVersion: string } }): void;
  /** Records an own delete. */
  recordDelete(uid: string): void;
  /** Drops the events deferred so far and returns their reasons: the reconcile pass that starts now reads their effects. */
  takeReasons(): readonly EnqueueReason[];
  /** Ends tracking. Enqueues the key for each deferred event that no own write caused. */
  finish(): void;
}

/**
 * Creates the filter between events and the work queue that drops events caused by own writes. An event for a key that is being reconciled is
 * deferred until the reconciliation ends: only then is it known whether an own write caused it, because the watch event can arrive before the
 * response of the write.
 */
export function createOwnWriteFilter(workQueue: WorkQueue) {
  const active = new Map<string, { deferred: DeferredEvent[]; readonly written: Set<string> }>();
  return {
    /** Starts tracking the own writes of a key. */
    track(key: string): OwnWrites {
      const run = { deferred: [] as DeferredEvent[], written: new Set<string>() };
      active.set(key, run);
      return {
        recordWrite: ({ metadata }) => void run.written.add(`${metadata.uid} ${metadata.resourceVersion}`),
        recordDelete: (uid) => void run.written.add(`${uid} deleted`),
        takeReasons() {
          const reasons = run.deferred.map(({ reason }) => reason);
          run.deferred = [];
          return [...reasons, ...workQueue.absorbPending(key)];
        },
        finish() {
          active.delete(key);
          for (const { reason, priority, writeId } of run.deferred) if (!run.written.has(writeId)) workQueue.add(key, { reason, priority });
        },
      };
    },
    /** Enqueues a key for an event: at once, or after the key's reconciliation if no own write caused the event. */
    enqueue(key: string, change: ObjectChange<StoredObject>, reason: EnqueueReason, priority: number): void {
      const run = active.get(key);
      if (run === undefined) workQueue.add(key, { reason, priority });
      else run.deferred.push({ reason, priority, writeId: writeIdOf(change) });
    },
  };
}
export type OwnWriteFilter = ReturnType<typeof createOwnWriteFilter>;

function writeIdOf({ old, new: now }: ObjectChange<StoredObject>): string {
  return now === undefined ? `${old!.metadata.uid} deleted` : `${now.metadata.uid} ${now.metadata.resourceVersion}`;
}
