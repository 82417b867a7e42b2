import { aborter } from "./aborter.ts";
import { type BacklogOptions, backlog, type Item, type Outcome, type Wake } from "./backlog.ts";
import { type Clock, systemClock, type Timer } from "./clock.ts";
import type { Reason } from "./reason.ts";

export interface QueueOptions extends BacklogOptions {
  /** One run of one key. A throw is a failure: the key is retried with backoff, for ever. */
  readonly work: (item: Item, signal: AbortSignal) => Outcome | void | Promise<void> | Promise<Outcome | undefined>;
  /** How many keys may run at the same time. */
  readonly concurrency?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly observer?: QueueObserver | undefined;
}

/** What a metrics registry hears. */
export interface QueueObserver {
  added?(key: string): void;
  started?(item: Item): void;
  finished?(item: Item, outcome: Outcome, took: number): void;
}

export interface Queue {
  /** Wakes a key: now, or `after` a while. */
  add(key: string, wake?: Wake): void;
  /** Called by a run that looks at everything anew: wakes of its key up to now are part of it. Gives their reasons. */
  absorb(key: string): readonly Reason[];
  /** Entries are worked on from now on; before, they only gather. */
  start(): void;
  /** Starts nothing new and waits for what runs; after `grace` milliseconds the runs' signal is aborted. `start` continues. */
  pause(grace?: number): Promise<void>;
  /** As `pause`, then lets go of all entries; later adds are ignored. Resolves with the keys that ran on past `grace`. */
  stop(grace?: number): Promise<readonly string[]>;
  /** Keys running, with the monotonic time they started at. */
  readonly running: ReadonlyMap<string, number>;
  /** Ready entries by priority. */
  readonly depths: ReadonlyMap<number, number>;
  /** Nothing ready and nothing running; delayed entries may wait. */
  readonly idle: boolean;
}

/**
 * The work queue: gathers keys, runs each at most once at a time, retries failures.
 *
 * Guarantees: those of `backlog`; at most `concurrency` runs at once; the event loop turns between two batches of
 * starts, so watches and timers are served however busy the queue is; a run that throws harms nobody else.
 */
export function queue(options: QueueOptions): Queue {
  const clock = options.clock ?? systemClock;
  const concurrency = options.concurrency ?? 1;
  const observer = options.observer ?? {};
  const entries = backlog(options);
  const running = new Map<string, number>();
  let abort = aborter();
  let state: "gathering" | "working" | "stopped" = "gathering";
  let pumping = false;
  let alarm: { readonly at: number; readonly timer: Timer } | undefined;
  const drained: (() => void)[] = [];

  const pumpSoon = () => {
    if (pumping || state !== "working") return;
    pumping = true;
    setImmediate(pump);
  };
  const pump = () => {
    pumping = false;
    if (state !== "working") return;
    const now = clock.monotonic();
    while (running.size < concurrency) {
      const item = entries.take(now);
      if (item === undefined) break;
      running.set(item.key, now);
      void run(item, now);
    }
    wakeAt(running.size < concurrency ? entries.dueAt(now) : undefined, now);
  };
  const wakeAt = (at: number | undefined, now: number) => {
    if (alarm !== undefined && alarm.at === at) return;
    if (alarm !== undefined) clock.clearTimeout(alarm.timer);
    alarm = undefined;
    if (at === undefined) return;
    const timer = clock.setTimeout(() => {
      alarm = undefined;
      pumpSoon();
    }, at - now);
    alarm = { at, timer };
  };
  const run = async (item: Item, started: number) => {
    observer.started?.(item);
    let outcome: Outcome;
    try {
      outcome = (await options.work(item, abort.signal)) ?? { type: "done" };
    } catch (error) {
      outcome = { type: "failed", error };
    }
    const now = clock.monotonic();
    running.delete(item.key);
    entries.release(item.key, now, outcome);
    observer.finished?.(item, outcome, now - started);
    if (state === "stopped") entries.clear();
    if (running.size === 0) for (const resolve of drained.splice(0)) resolve();
    pumpSoon();
  };
  const drain = async (grace: number | undefined) => {
    wakeAt(undefined, 0);
    if (running.size === 0) return;
    const empty = new Promise<void>((resolve) => drained.push(resolve));
    if (grace === undefined) return empty;
    const timer = clock.setTimeout(() => {
      abort.abort(new Error(`still running ${grace} ms after the queue was asked to stop`));
      for (const resolve of drained.splice(0)) resolve();
    }, grace);
    await empty;
    clock.clearTimeout(timer);
  };

  return {
    add(key, wake) {
      if (state === "stopped") return;
      entries.add(key, clock.monotonic(), wake);
      observer.added?.(key);
      pumpSoon();
    },
    absorb: (key) => entries.absorb(key, clock.monotonic()),
    start() {
      if (state === "stopped") throw new Error("queue: start() after stop()");
      if (abort.signal.aborted) abort = aborter();
      state = "working";
      pumpSoon();
    },
    async pause(grace) {
      if (state === "working") state = "gathering";
      await drain(grace);
    },
    async stop(grace) {
      state = "stopped";
      entries.clear();
      await drain(grace);
      return [...running.keys()];
    },
    running,
    get depths() {
      return entries.depths;
    },
    get idle() {
      return running.size === 0 && entries.ready === 0;
    },
  };
}
