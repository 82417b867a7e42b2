import { aborter, type Clock } from "../queue/index.ts";

export class ReconcileTimeout extends Error {
  override readonly name = "ReconcileTimeout";
}

/**
 * Runs `work` with a signal that aborts after `limit` milliseconds, or with `stop`. Waits for the work to end in any case,
 * because a promise cannot be killed and the same object must not be worked on twice.
 */
export async function withTimeout<T>(
  clock: Clock,
  limit: number | undefined,
  stop: AbortSignal,
  fired: () => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limit === undefined) return work(stop);
  const own = aborter(stop);
  const error = new ReconcileTimeout(`not done after ${limit / 1000} s`);
  let late = false;
  const timer = clock.setTimeout(() => {
    late = true;
    own.abort(error);
    fired();
  }, limit);
  try {
    const result = await work(own.signal);
    if (late) throw error;
    return result;
  } finally {
    clock.clearTimeout(timer);
    own.abort();
  }
}
