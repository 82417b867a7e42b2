import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Clock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import type { ActivityTracker } from "../interceptors/index.ts";
import { isVirtualClock } from "./advance-clock.ts";

/** Options of `settled()`. */
export interface SettledOptions {
  /**
   * Milliseconds of real time without a request or event to wait for; needed for clients in other processes, whose queues are not
   * visible. Default: 0.
   */
  readonly quiet?: number | undefined;
  /**
   * Milliseconds of real time without a request or event after which the wait for reconciliations in this process ends with an error that names
   * them. They wait for something outside: a database, a `fetch`, a timer. Default: 10,000.
   */
  readonly limit?: number | undefined;
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

const DEFAULT_LIMIT_MS = 10_000;

/**
 * Resolves when no request is in flight, no reconciliation is running and no activity follows; work that waits for the clock does not count.
 * Rejects when reconciliations go on without activity for longer than `limit`.
 */
export async function settled(
  { activity }: { readonly activity: ActivityTracker },
  clock: Clock,
  { quiet = 0, limit = DEFAULT_LIMIT_MS, signal }: SettledOptions = {},
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
    const idle = (activity.inFlight === 0 && activity.work.length === 0) || (isVirtualClock(clock) && still > STUCK_MS);
    if (idle && iterations >= IDLE_ITERATIONS && still >= quiet) return;
    if (activity.inFlight === 0 && still > limit)
      throw new PintleError(
        "PINTLE6505",
        `settled(): still running after ${limit / 1000} s without a request: ${activity.work.join(", ")}. Wait for what they wait for, or raise \`limit\``,
      );
    if (iterations++ < IDLE_ITERATIONS * 10) await turn();
    else await wait(1);
  }
}
