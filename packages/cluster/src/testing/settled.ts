import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Clock } from "pintle/internal/clock";
import type { ActivityTracker } from "../interceptors/index.ts";
import { isVirtualClock } from "./advance-clock.ts";

/** Options of `settled()`. */
export interface SettledOptions {
  /**
   * Milliseconds of real time without a request or event to wait for; needed for clients in other processes, whose queues are not
   * visible. Default: 0.
   */
  readonly quiet?: number | undefined;
  /** Aborting it ends the wait with the reason of the signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Event loop iterations without activity after which the process is idle: a queue starts due work in the next iteration, and that work
 * sends requests.
 */
const IDLE_ITERATIONS = 6;
/** With a virtual clock, a request without progress for this long is waiting for the clock. */
const STUCK_MS = 200;

/** Resolves when no request is in flight and no activity follows; work that waits for the clock does not count. */
export async function settled(
  { activity }: { readonly activity: ActivityTracker },
  clock: Clock,
  { quiet = 0, signal }: SettledOptions = {},
): Promise<void> {
  let lastCount = -1;
  let iterations = 0;
  let since = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    if (lastCount !== activity.count) {
      lastCount = activity.count;
      iterations = 0;
      since = performance.now();
    }
    const still = performance.now() - since;
    const idle = activity.inFlight === 0 || (isVirtualClock(clock) && still > STUCK_MS);
    if (idle && iterations >= IDLE_ITERATIONS && still >= quiet) return;
    if (iterations++ < IDLE_ITERATIONS * 10) await turn();
    else await wait(1);
  }
}
