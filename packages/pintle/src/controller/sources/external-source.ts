import type { Clock, Random } from "../../clock/index.ts";
import { ignoreError, runInBackground } from "../../errors/index.ts";
import type { NamespacedName } from "../names.ts";

export interface SourceDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}
const MAX_BACKOFF_MS = 30_000;

/** Runs `work` until it returns or the signal aborts. When it throws, it is run again with backoff; calling `resetBackoff` resets the delay. */
export async function retryWithBackoff(
  { clock, random, signal, onError }: SourceDeps,
  work: (resetBackoff: () => void) => Promise<void>,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await work(() => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await clock.sleep(Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** failures) * (0.5 + random() / 2), signal).catch(() => {});
    }
  }
}

/** Enqueues the names that an external event source yields until the signal aborts. A source that throws is restarted with backoff; one that returns is not. */
export async function followSource(
  source: (signal: AbortSignal) => AsyncIterable<NamespacedName>,
  tools: SourceDeps,
  enqueue: (at: NamespacedName) => void,
): Promise<void> {
  const { signal } = tools;
  // A source that ignores the signal is abandoned, not awaited.
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  await retryWithBackoff(tools, async (resetBackoff) => {
    const items = source(signal)[Symbol.asyncIterator]();
    while (true) {
      const next = await Promise.race([items.next(), aborted]);
      if (next === undefined) runInBackground(items.return?.(), ignoreError);
      if (next === undefined || next.done) return;
      resetBackoff();
      enqueue(next.value);
    }
  });
}

/** Calls `tick` every `ms` milliseconds until the signal aborts. */
export async function runPeriodically(clock: Clock, ms: number, signal: AbortSignal, tick: () => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(ms, signal).catch(() => {});
    if (!signal.aborted) tick();
  }
}
