import { ConnectionError, ServerError, Timeout, TooManyRequests } from "../client/index.ts";
import type { Clock } from "../queue/index.ts";
import type { Log } from "./log.ts";

const LONGEST = 120_000;
const PAUSE = 1_000;

/** An API server that is not there yet, or busy, is asked again for two minutes: at the start of a cluster all begin at once. */
export async function patiently<T>(work: () => Promise<T>, clock: Clock, log: Log, signal: AbortSignal): Promise<T> {
  const until = clock.monotonic() + LONGEST;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const passes =
        error instanceof ConnectionError || error instanceof ServerError || error instanceof Timeout || error instanceof TooManyRequests;
      if (!passes || signal.aborted || clock.monotonic() > until) throw error;
      log.warn("webhooks cannot start yet", { error });
      await clock.sleep(PAUSE, signal);
    }
  }
}
