import { type Clock, createAbortController, systemClock, type Timer } from "../clock/index.ts";
import { runInBackground } from "../errors/index.ts";
import type { EnqueueReason } from "./enqueue-reason.ts";
import { createKeyQueue, type EnqueueOptions, type KeyQueueOptions, type QueuedKey, type WorkItem, type WorkOutcome } from "./key-queue.ts";

/** Options of a work queue. */
export interface WorkQueueOptions extends KeyQueueOptions {
  /** Processes one key. If it throws, the key is retried with backoff, without limit. */
  readonly work: (item: WorkItem, signal: AbortSignal) => WorkOutcome | void | Promise<void> | Promise<WorkOutcome | undefined>;
  /** How many keys are processed concurrently. Default: 1. */
  readonly concurrency?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: none. */
  readonly observer?: WorkQueueObserver | undefined;
  /** Called when a run has failed, with the milliseconds until its key is retried. */
  readonly onBackoff?: ((key: string, delayMs: number) => void) | undefined;
}

/** Receives the events of the queue, for metrics. */
export interface WorkQueueObserver {
  added?(key: string): void;
  started?(item: WorkItem): void;
  finished?(item: WorkItem, outcome: WorkOutcome, durationMs: number): void;
}

/** Collects keys, processes each at most once at a time, and retries failures. */
export interface WorkQueue {
  /** Enqueues a key: now, or after a delay. */
  add(key: string, options?: EnqueueOptions): void;
  /** Called by a run that reads its state again: enqueues of its key up to now become part of the run. Returns their reasons. */
  absorbPending(key: string): readonly EnqueueReason[];
  /** Starts the workers; before, keys are only collected. After `stop` it does nothing, so a component may be stopped while it still starts. */
  start(): void;
  /** Starts no more keys and waits for running ones; after `grace` milliseconds their signal is aborted. `start` resumes. */
  pause(grace?: number): Promise<void>;
  /** Like `pause`, and removes all keys; later adds are ignored. Resolves to the keys still running after `grace`. */
  stop(grace?: number): Promise<readonly string[]>;
  /** Running keys, with the monotonic time of their start. */
  readonly running: ReadonlyMap<string, number>;
  /** Lists all keys: those that wait, and those that run. */
  list(): readonly QueuedKey[];
  /** Ready keys by priority. */
  readonly depthByPriority: ReadonlyMap<number, number>;
  /** Whether keys are being started: from `start` to `pause` or `stop`. */
  readonly isWorking: boolean;
  /** No key is ready or running; delayed keys may be waiting. */
  readonly isIdle: boolean;
}

/**
 * Returns a work queue.
 *
 * Guarantees: those of `createKeyQueue`; at most `concurrency` runs at once; the queue yields to the event loop between two batches, so
 * that watches and timers are served under load; a failed run does not affect other keys.
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const clock = options.clock ?? systemClock;
  const concurrency = options.concurrency ?? 1;
  const observer = options.observer ?? {};
  const keys = createKeyQueue(options);
  const running = new Map<string, number>();
  let abort = createAbortController();
  let state: "collecting" | "working" | "stopped" = "collecting";
  let dispatchScheduled = false;
  let dueTimer: { readonly at: number; readonly timer: Timer } | undefined;
  const drainWaiters: (() => void)[] = [];

  const scheduleDispatch = () => {
    if (dispatchScheduled || state !== "working") return;
    dispatchScheduled = true;
    setImmediate(dispatch);
  };
  const dispatch = () => {
    dispatchScheduled = false;
    if (state !== "working") return;
    const now = clock.monotonic();
    while (running.size < concurrency) {
      const item = keys.take(now);
      if (item === undefined) break;
      running.set(item.key, now);
      runInBackground(process(item, now));
    }
    setDueTimer(running.size < concurrency ? keys.nextDueAt(now) : undefined, now);
  };
  const setDueTimer = (at: number | undefined, now: number) => {
    if (dueTimer !== undefined && dueTimer.at === at) return;
    if (dueTimer !== undefined) clock.clearTimeout(dueTimer.timer);
    dueTimer = undefined;
    if (at === undefined) return;
    const timer = clock.setTimeout(() => {
      dueTimer = undefined;
      scheduleDispatch();
    }, at - now);
    dueTimer = { at, timer };
  };
  const process = async (item: WorkItem, started: number) => {
    observer.started?.(item);
    let outcome: WorkOutcome;
    try {
      outcome = (await options.work(item, abort.signal)) ?? { type: "done" };
    } catch (error) {
      outcome = { type: "failed", error };
    }
    const now = clock.monotonic();
    running.delete(item.key);
    const retryAt = keys.release(item.key, now, outcome);
    if (retryAt !== undefined) options.onBackoff?.(item.key, retryAt - now);
    observer.finished?.(item, outcome, now - started);
    if (state === "stopped") keys.clear();
    if (running.size === 0) for (const resolve of drainWaiters.splice(0)) resolve();
    scheduleDispatch();
  };
  const drain = async (grace: number | undefined) => {
    setDueTimer(undefined, 0);
    if (running.size === 0) return;
    const empty = new Promise<void>((resolve) => drainWaiters.push(resolve));
    if (grace === undefined) return empty;
    const timer = clock.setTimeout(() => {
      abort.abort(new Error(`still running ${grace} ms after the queue was stopped`));
      for (const resolve of drainWaiters.splice(0)) resolve();
    }, grace);
    await empty;
    clock.clearTimeout(timer);
  };

  return {
    add(key, enqueueOptions) {
      if (state === "stopped") return;
      keys.add(key, clock.monotonic(), enqueueOptions);
      observer.added?.(key);
      scheduleDispatch();
    },
    absorbPending: (key) => keys.absorbPending(key, clock.monotonic()),
    start() {
      if (state === "stopped") return;
      if (abort.signal.aborted) abort = createAbortController();
      state = "working";
      scheduleDispatch();
    },
    async pause(grace) {
      if (state === "working") state = "collecting";
      await drain(grace);
    },
    async stop(grace) {
      state = "stopped";
      keys.clear();
      await drain(grace);
      return [...running.keys()];
    },
    running,
    list: () => keys.list(clock.monotonic()),
    get depthByPriority() {
      return keys.depthByPriority;
    },
    get isWorking() {
      return state === "working";
    },
    get isIdle() {
      return running.size === 0 && keys.ready === 0;
    },
  };
}
