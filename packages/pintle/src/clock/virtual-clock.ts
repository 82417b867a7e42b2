import { type Clock, sleepWithTimers, type Timer } from "./clock.ts";
import { createHeap, type HeapNode } from "./heap.ts";

/** A clock for tests. */
export interface VirtualClock extends Clock {
  /** Advances by `ms`: timers due until then fire in order, and the work that a timer starts may finish before the next one fires. */
  advance(ms: number): Promise<void>;
  /** Resolves when the clock was not used for a few iterations of the event loop; time does not advance. */
  settle(): Promise<void>;
  /** Number of pending timers. */
  readonly pending: number;
  /** Milliseconds until the next timer; undefined if there is none. */
  readonly next: number | undefined;
}

interface VirtualTimer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** After this many iterations of the event loop without a use of the clock, code that waits only on promises is considered settled. */
const IDLE_ITERATIONS = 4;

/**
 * Returns a clock whose time changes only when `advance` is called. Deterministic: timers due at the same time fire in the order they were set.
 * Starts at 2026-01-01T00:00:00Z by default.
 *
 * @example
 * ```ts
 * import { virtualClock } from "pintle/testing";
 *
 * const clock = virtualClock("2026-01-01T00:00:00Z");
 * const sleeping = clock.sleep(60_000);
 * await clock.advance(60_000);
 * await sleeping;
 * ```
 */
export function virtualClock(start: number | string = "2026-01-01T00:00:00Z"): VirtualClock {
  const epoch = typeof start === "number" ? start : Date.parse(start);
  const timers = createHeap<VirtualTimer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  let elapsed = 0;
  let uses = 0;

  const settle = async () => {
    for (let seen = -1, quiet = 0; quiet < IDLE_ITERATIONS; quiet = seen === uses ? quiet + 1 : 0) {
      seen = uses;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const clock: VirtualClock = {
    now() {
      uses++;
      return epoch + elapsed;
    },
    monotonic() {
      uses++;
      return elapsed;
    },
    setTimeout(run, ms) {
      uses++;
      // Whole milliseconds as Node's timers, so that timestamps stay integers when a delay is a fraction, such as a random backoff.
      return timers.push({ at: elapsed + Math.max(0, Math.ceil(ms)), order: uses, run });
    },
    clearTimeout(timer: Timer | undefined) {
      uses++;
      if (timer !== undefined) timers.remove(timer as HeapNode<VirtualTimer>);
    },
    sleep: (ms, signal) => sleepWithTimers(clock, ms, signal),
    settle,
    async advance(ms) {
      const end = elapsed + Math.ceil(ms);
      await settle();
      for (let first = timers.peek(); first !== undefined && first.at <= end; first = timers.peek()) {
        timers.pop();
        elapsed = Math.max(elapsed, first.at);
        first.run();
        await settle();
      }
      elapsed = end;
    },
    get pending() {
      return timers.size;
    },
    get next() {
      const first = timers.peek();
      return first && first.at - elapsed;
    },
  };
  return clock;
}
