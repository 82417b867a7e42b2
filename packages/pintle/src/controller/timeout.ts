import { aborter, type Clock } from "../queue/index.ts";

export class ReconcileTimeout extends Error {
  override readonly name = "ReconcileTimeout";
}

/** What was left behind is ended with; made once, because it is needed with every run. */
const OVER = new DOMException("the run is over", "AbortError");

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
  const own = aborter();
  const stopped = () => own.abort(stop.reason);
  let late: ReconcileTimeout | undefined;
  const timer = clock.setTimeout(() => {
    late = new ReconcileTimeout(`not done after ${limit / 1000} s`);
    own.abort(late);
    fired();
  }, limit);
  if (stop.aborted) stopped();
  else stop.addEventListener("abort", stopped, { once: true });
  try {
    const result = await work(own.signal);
    if (late !== undefined) throw late;
    return result;
  } finally {
    clock.clearTimeout(timer);
    stop.removeEventListener("abort", stopped);
    own.abort(OVER);
  }
}
