import { onAbort } from "./abort.ts";

/** A source of time that is passed in: production uses `systemClock`, tests and the embedded control plane may use `virtualClock()`. */
export interface Clock {
  /** Wall time in milliseconds since 1970. May jump; not for measuring durations. */
  now(): number;
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The part of a `Clock` that a client needs. */
export type WallClock = Pick<Clock, "now" | "sleep">;

/** An opaque handle, valid only for `clearTimeout` of the clock that returned it. */
export type Timer = object;

/** Node fires a longer timeout at once, so longer waits are made of several timers. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The clock of the operating system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(run, ms) {
    const timer: { handle?: NodeJS.Timeout } = {};
    const arm = (left: number) => {
      timer.handle = setTimeout(() => (left > MAX_TIMEOUT_MS ? arm(left - MAX_TIMEOUT_MS) : run()), Math.min(left, MAX_TIMEOUT_MS));
    };
    arm(Math.max(0, ms));
    return timer;
  },
  clearTimeout(timer) {
    clearTimeout((timer as { handle?: NodeJS.Timeout } | undefined)?.handle);
  },
  sleep: (ms, signal) => sleepWithTimers(systemClock, ms, signal),
};

/** The system clock with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  setTimeout(run, ms) {
    const timer = setTimeout(run, Math.min(ms, MAX_TIMEOUT_MS));
    timer.unref();
    return timer;
  },
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

/** Implements `Clock.sleep` with the timers of the given clock. */
export function sleepWithTimers(clock: Pick<Clock, "setTimeout" | "clearTimeout">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.setTimeout(() => {
      removeListener?.();
      resolve();
    }, ms);
    const removeListener =
      signal &&
      onAbort(signal, () => {
        clock.clearTimeout(timer);
        reject(signal.reason);
      });
  });
}
