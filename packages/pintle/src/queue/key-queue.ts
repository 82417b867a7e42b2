import { createHeap, type HeapNode } from "../clock/index.ts";
import { InternalError } from "../errors/index.ts";
import { type EnqueueReason, mergeReasons } from "./enqueue-reason.ts";

/** How a key is enqueued. */
export interface EnqueueOptions {
  /** Delay in milliseconds; of several enqueues the earliest counts. Default: 0. */
  readonly after?: number | undefined;
  /** Higher runs first; of several enqueues the highest counts. Default: 0, for live changes; initial lists use `LOW_PRIORITY`. */
  readonly priority?: number | undefined;
  readonly reason?: EnqueueReason | undefined;
}

/** A key that was taken from the queue. */
export interface WorkItem {
  readonly key: string;
  readonly priority: number;
  readonly reasons: readonly EnqueueReason[];
  /** How many enqueues were merged into this run. */
  readonly enqueues: number;
  /** Number of consecutive failed runs before this one. */
  readonly failures: number;
  /** Milliseconds between becoming ready and being taken. */
  readonly waitedMs: number;
}

/** A key in the queue. */
export interface QueuedKey {
  readonly key: string;
  /** "delayed": by backoff or `requeueAfter`. */
  readonly state: "ready" | "delayed" | "running";
  /** Milliseconds: until a delayed key is due, negative since a ready key is, or since a running key was started. */
  readonly ms: number;
  /** Number of consecutive failed runs. */
  readonly failures: number;
  readonly priority: number;
  /** Why it was enqueued. */
  readonly reasons: readonly EnqueueReason[];
  /** Whether a running key was enqueued again, so that another run follows. */
  readonly isEnqueuedAgain: boolean;
}

/** The outcome of a run. */
export type WorkOutcome =
  | { readonly type: "done" }
  /** Success; run again after `after` milliseconds, or earlier if the key is enqueued. */
  | { readonly type: "requeue"; readonly after: number; readonly priority?: number | undefined }
  /** Retried with backoff, without limit, and not before `minDelay` milliseconds (Retry-After of a server). */
  | { readonly type: "failed"; readonly error: unknown; readonly minDelay?: number | undefined }
  /** Not retried until the key is enqueued again. */
  | { readonly type: "terminal"; readonly error: unknown };

/** Options of the queue. */
export interface KeyQueueOptions {
  /** First and longest delay in milliseconds between two failed runs of a key. Default: 5 and 1,000,000. */
  readonly backoff?: { readonly initial: number; readonly max: number } | undefined;
  /** Keys that have waited longer than this many milliseconds get every fourth slot, whatever their priority. Default: 1,000. */
  readonly starvationLimit?: number | undefined;
}

/** The priority of initial lists and resyncs: they run after live changes. */
export const LOW_PRIORITY = -100;
const DEFAULT_BACKOFF = { initial: 5, max: 1_000_000 };
const DEFAULT_STARVATION_LIMIT = 1_000;
const STARVED_SHARE = 4;

interface Schedule {
  dueAt: number;
  priority: number;
  reasons: readonly EnqueueReason[];
  enqueues: number;
}
interface KeyState {
  readonly key: string;
  state: "ready" | "waiting" | "running";
  schedule: Schedule;
  /** Order of becoming ready; breaks ties. */
  sequence: number;
  startedAt: number;
  /** Enqueues during the run. */
  pending: Schedule | undefined;
  priorityNode: HeapNode<KeyState> | undefined;
  ageNode: HeapNode<KeyState> | undefined;
  delayNode: HeapNode<KeyState> | undefined;
}
interface FailureCount {
  count: number;
  retryAt: number;
}

/**
 * The work queue without timers, promises or a clock: every call gets the current time.
 *
 * Guarantees: one entry per key; a taken key is not taken again before `release`; enqueues during a run cause exactly one more run; of
 * several enqueues the earliest time and the highest priority count; no key starves.
 */
export function createKeyQueue(options: KeyQueueOptions = {}) {
  const { initial, max } = options.backoff ?? DEFAULT_BACKOFF;
  const ageing = options.starvationLimit ?? DEFAULT_STARVATION_LIMIT;
  const entries = new Map<string, KeyState>();
  const failures = new Map<string, FailureCount>();
  const byPriority = createHeap<KeyState>(
    (a, b) => a.schedule.priority > b.schedule.priority || (a.schedule.priority === b.schedule.priority && a.sequence < b.sequence),
  );
  const byAge = createHeap<KeyState>(
    (a, b) => a.schedule.dueAt < b.schedule.dueAt || (a.schedule.dueAt === b.schedule.dueAt && a.sequence < b.sequence),
  );
  const byDueTime = createHeap<KeyState>(
    (a, b) => a.schedule.dueAt < b.schedule.dueAt || (a.schedule.dueAt === b.schedule.dueAt && a.sequence < b.sequence),
  );
  const depths = new Map<number, number>();
  let sequence = 0;
  let taken = 0;

  const countDepth = (priority: number, by: number) => {
    const depth = (depths.get(priority) ?? 0) + by;
    if (depth === 0) depths.delete(priority);
    else depths.set(priority, depth);
  };
  const unlink = (entry: KeyState) => {
    if (entry.priorityNode) {
      byPriority.remove(entry.priorityNode);
      byAge.remove(entry.ageNode!);
      countDepth(entry.schedule.priority, -1);
    }
    if (entry.delayNode) byDueTime.remove(entry.delayNode);
    entry.priorityNode = entry.ageNode = entry.delayNode = undefined;
  };
  const link = (entry: KeyState, plan: Schedule, now: number) => {
    entry.schedule = plan;
    entry.sequence = ++sequence;
    entry.state = plan.dueAt <= now ? "ready" : "waiting";
    if (entry.state === "waiting") entry.delayNode = byDueTime.push(entry);
    else {
      entry.priorityNode = byPriority.push(entry);
      entry.ageNode = byAge.push(entry);
      countDepth(plan.priority, 1);
    }
  };
  const mergeSchedule = (
    plan: Schedule | undefined,
    dueAt: number,
    priority: number,
    reasons: readonly EnqueueReason[],
    enqueues: number,
  ): Schedule =>
    plan === undefined
      ? { dueAt, priority, reasons, enqueues }
      : {
          dueAt: Math.min(plan.dueAt, dueAt),
          priority: Math.max(plan.priority, priority),
          reasons: mergeReasons(plan.reasons, reasons),
          enqueues: plan.enqueues + enqueues,
        };
  const promoteDue = (now: number) => {
    for (let due = byDueTime.peek(); due !== undefined && due.schedule.dueAt <= now; due = byDueTime.peek()) {
      unlink(due);
      link(due, due.schedule, now);
    }
  };

  return {
    /** Enqueues a key. */
    add(key: string, now: number, enqueueOptions: EnqueueOptions = {}): void {
      const dueAt = now + Math.max(0, enqueueOptions.after ?? 0);
      const reasons = enqueueOptions.reason === undefined ? [] : [enqueueOptions.reason];
      const priority = enqueueOptions.priority ?? 0;
      const entry = entries.get(key);
      if (entry === undefined) {
        const added: KeyState = {
          key,
          state: "waiting",
          schedule: undefined as never,
          sequence: 0,
          startedAt: 0,
          pending: undefined,
          priorityNode: undefined,
          ageNode: undefined,
          delayNode: undefined,
        };
        entries.set(key, added);
        link(added, { dueAt, priority, reasons, enqueues: 1 }, now);
      } else if (entry.state === "running") {
        entry.pending = mergeSchedule(entry.pending, dueAt, priority, reasons, 1);
      } else {
        const plan = mergeSchedule(entry.schedule, dueAt, priority, reasons, 1);
        if (plan.dueAt === entry.schedule.dueAt && plan.priority === entry.schedule.priority) entry.schedule = plan;
        else {
          unlink(entry);
          link(entry, plan, now);
        }
      }
    },

    /** Takes the next ready key, which is running until `release`. Returns undefined if none is ready. */
    take(now: number): WorkItem | undefined {
      promoteDue(now);
      const oldest = byAge.peek();
      if (oldest === undefined) return undefined;
      const aged = now - oldest.schedule.dueAt > ageing && ++taken % STARVED_SHARE === 0;
      const entry = aged ? oldest : byPriority.peek()!;
      unlink(entry);
      entry.state = "running";
      entry.startedAt = now;
      const { priority, reasons, enqueues, dueAt } = entry.schedule;
      return { key: entry.key, priority, reasons, enqueues, failures: failures.get(entry.key)?.count ?? 0, waitedMs: now - dueAt };
    },

    /** A running key reads its state again: enqueues up to now become part of this run. Returns their reasons. */
    absorbPending(key: string, now: number): readonly EnqueueReason[] {
      const entry = entries.get(key);
      if (entry?.pending === undefined || entry.pending.dueAt > now) return [];
      const { reasons, priority } = entry.pending;
      entry.pending = undefined;
      entry.schedule = {
        ...entry.schedule,
        reasons: mergeReasons(entry.schedule.reasons, reasons),
        priority: Math.max(entry.schedule.priority, priority),
      };
      return reasons;
    },

    /** Ends the run of a taken key. Returns when it is retried, if it failed. */
    release(key: string, now: number, outcome: WorkOutcome = { type: "done" }): number | undefined {
      const entry = entries.get(key);
      if (entry?.state !== "running") throw new InternalError(`the key ${key} of the work queue is not running`);
      let next = entry.pending;
      entry.pending = undefined;
      const { priority, reasons } = entry.schedule;
      if (outcome.type === "failed") {
        const failure = failures.get(key) ?? { count: 0, retryAt: entry.startedAt };
        // An enqueue between two retries runs at once but neither advances nor resets the backoff.
        if (entry.startedAt >= failure.retryAt) {
          const delay = Math.min(max, initial * 2 ** failure.count);
          failures.set(key, { count: failure.count + 1, retryAt: now + delay });
        }
        const at = Math.max(now + (outcome.minDelay ?? 0), failures.get(key)!.retryAt);
        failures.get(key)!.retryAt = at;
        next = mergeSchedule(next, at, priority, mergeReasons(reasons, [{ event: "retry" }]), 0);
      } else {
        failures.delete(key);
        if (outcome.type === "requeue")
          next = mergeSchedule(next, now + Math.max(0, outcome.after), outcome.priority ?? priority, [{ event: "requeue" }], 0);
      }
      if (next === undefined) entries.delete(key);
      else link(entry, next, now);
      return failures.get(key)?.retryAt;
    },

    /** Returns when the first delayed key becomes ready; `now` if one is ready. */
    nextDueAt(now: number): number | undefined {
      return byAge.size > 0 ? now : byDueTime.peek()?.schedule.dueAt;
    },

    /** Lists all keys, in no particular order. */
    list(now: number): readonly QueuedKey[] {
      return [...entries.values()].map(({ key, state, schedule, startedAt, pending }) => ({
        key,
        state: state === "waiting" && schedule.dueAt <= now ? "ready" : state === "waiting" ? "delayed" : state,
        ms: state === "running" ? now - startedAt : schedule.dueAt - now,
        failures: failures.get(key)?.count ?? 0,
        priority: schedule.priority,
        reasons: schedule.reasons,
        isEnqueuedAgain: pending !== undefined,
      }));
    },

    /** Removes all keys that are not running. */
    clear(): void {
      for (const entry of [...entries.values()]) {
        entry.pending = undefined;
        if (entry.state === "running") continue;
        unlink(entry);
        entries.delete(entry.key);
      }
      failures.clear();
    },

    /** Ready keys by priority, for a depth metric. */
    get depthByPriority(): ReadonlyMap<number, number> {
      return depths;
    },
    get ready(): number {
      return byAge.size;
    },
    get waiting(): number {
      return byDueTime.size;
    },
    has: (key: string): boolean => entries.has(key),
  };
}
/** See `createKeyQueue`. */
export type KeyQueue = ReturnType<typeof createKeyQueue>;
