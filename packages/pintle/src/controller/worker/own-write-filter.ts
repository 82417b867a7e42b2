import type { ObjectChange, StoredObject } from "../../cache/index.ts";
import type { EnqueueReason, WorkQueue } from "../../queue/index.ts";
import { causeOfChange, type RunRecorder } from "../../recorder/index.ts";

/** An event that arrived while its key was being reconciled. */
interface DeferredEvent {
  readonly change: ObjectChange<StoredObject>;
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
 * response of the write. `runs` records which events are dropped, and which cause a run.
 */
export function createOwnWriteFilter(workQueue: WorkQueue, runs?: RunRecorder, isLeading: () => boolean = () => true) {
  const active = new Map<string, { deferred: DeferredEvent[]; readonly written: Set<string> }>();
  const recordOutcome = (key: string, { change, reason, writeId }: DeferredEvent, written: ReadonlySet<string>) => {
    if (runs === undefined) return;
    if (written.has(writeId)) runs.drop("own write", causeOfChange(change, reason.kind ?? "", reason.source), key);
    else runs.enqueue(key, causeOfChange(change, reason.kind ?? "", reason.source));
  };
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
          for (const event of run.deferred) recordOutcome(key, event, run.written);
          run.deferred = [];
          return [...reasons, ...workQueue.absorbPending(key)];
        },
        finish() {
          active.delete(key);
          for (const event of run.deferred) {
            recordOutcome(key, event, run.written);
            if (!run.written.has(event.writeId)) workQueue.add(key, { reason: event.reason, priority: event.priority });
          }
        },
      };
    },
    /** Enqueues a key for an event: at once, or after the key's reconciliation if no own write caused the event. */
    enqueue(key: string, change: ObjectChange<StoredObject>, reason: EnqueueReason, priority: number): void {
      const run = active.get(key);
      if (run !== undefined) {
        run.deferred.push({ change, reason, priority, writeId: writeIdOf(change) });
        return;
      }
      runs?.enqueue(key, causeOfChange(change, reason.kind ?? "", reason.source), isLeading());
      workQueue.add(key, { reason, priority });
    },
  };
}
export type OwnWriteFilter = ReturnType<typeof createOwnWriteFilter>;

function writeIdOf({ old, new: now }: ObjectChange<StoredObject>): string {
  return now === undefined ? `${old!.metadata.uid} deleted` : `${now.metadata.uid} ${now.metadata.resourceVersion}`;
}
