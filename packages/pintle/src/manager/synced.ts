import type { Operation } from "../controller/index.ts";
import { aborter, type Clock } from "../queue/index.ts";

/** Waits for all first lists; the error names those that did not come, and why. */
export async function synced(operations: readonly Operation[], clock: Clock, limit: number, signal: AbortSignal): Promise<void> {
  const timeout = aborter(signal);
  const timer = clock.setTimeout(() => timeout.abort(), limit);
  try {
    await Promise.all(operations.map((operation) => operation.synced(timeout.signal)));
  } catch (error) {
    if (signal.aborted || !timeout.signal.aborted) throw error;
    const late = operations.flatMap((operation) => operation.unsynced().map((why) => `${operation.controller.name}: ${why}`));
    throw new Error(`not listed within ${limit / 1000} s: ${[...new Set(late)].join("; ")}`);
  } finally {
    clock.clearTimeout(timer);
    timeout.abort();
  }
}
