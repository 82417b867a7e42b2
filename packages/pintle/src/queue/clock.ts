/** Time as a value that is passed in: production uses `systemClock`, tests and the embedded cluster may use `virtualClock()`. */
export interface Clock {
  /** Wall time in milliseconds since 1970. May jump; never used to measure a duration. */
  now(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Opaque; only good for `clearTimeout` of the clock that made it. */
export type Timer = object;

/** Node fires at once above this; longer waits are made of several. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(run, ms) {
    const timer: { handle?: NodeJS.Timeout } = {};
    const arm = (left: number) => {
      timer.handle = setTimeout(() => (left > LONGEST ? arm(left - LONGEST) : run()), Math.min(left, LONGEST));
    };
    arm(Math.max(0, ms));
    return timer;
  },
  clearTimeout(timer) {
    clearTimeout((timer as { handle?: NodeJS.Timeout } | undefined)?.handle);
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
};

/** `sleep` of any clock, from its timers. */
export function sleepOn(clock: Pick<Clock, "setTimeout" | "clearTimeout">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clock.clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
