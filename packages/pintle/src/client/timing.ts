import { onAbort } from "./on-abort.ts";

/** The time a client waits by; any clock that tells the time and can sleep will do. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        forget?.();
        resolve();
      }, ms);
      const forget =
        signal &&
        onAbort(signal, () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
    }),
};
