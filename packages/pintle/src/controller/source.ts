import type { Clock, Random } from "../queue/index.ts";
import type { ObjectName } from "./options.ts";

export interface SourceTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}
const LONGEST = 30_000;

/** Does something until it ends by itself or the signal aborts. What throws is begun again, with backoff that `progress` starts over. */
export async function persist(
  { clock, random, signal, failed }: SourceTools,
  doing: (progress: () => void) => Promise<void>,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await doing(() => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      failed(error);
      await clock.sleep(Math.min(LONGEST, 1_000 * 2 ** failures) * (0.5 + random() / 2), signal).catch(() => {});
    }
  }
}

/** Passes on what an event source says until the signal aborts. A source that throws is started again; one that ends has ended. */
export async function follow(
  source: (signal: AbortSignal) => AsyncIterable<ObjectName>,
  tools: SourceTools,
  wake: (at: ObjectName) => void,
): Promise<void> {
  const { signal } = tools;
  // A source that does not listen to the signal is left alone rather than waited for.
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  await persist(tools, async (progress) => {
    const items = source(signal)[Symbol.asyncIterator]();
    while (true) {
      const next = await Promise.race([items.next(), aborted]);
      if (next === undefined) void items.return?.();
      if (next === undefined || next.done) return;
      progress();
      wake(next.value);
    }
  });
}

/** Calls `tick` again and again until the signal aborts. */
export async function every(clock: Clock, ms: number, signal: AbortSignal, tick: () => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(ms, signal).catch(() => {});
    if (!signal.aborted) tick();
  }
}
