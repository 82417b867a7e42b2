import { type Clock, createAbortController } from "../../clock/index.ts";
import { ReconcileTimeout } from "../errors.ts";

/** The abort reason of a signal whose work has ended; created once, because every reconcile pass with a timeout uses it. */
const RECONCILE_ENDED = new DOMException("the reconcile pass has ended", "AbortError");

/**
 * Runs `work` with a signal that aborts after `timeout` milliseconds, or with `stop`. Waits for the work to end in any case, because a promise cannot be
 * cancelled and the same object must not be reconciled twice at the same time. Rejects with `ReconcileTimeout` after a timeout.
 */
export async function withTimeout<T>(
  clock: Clock,
  timeout: number | undefined,
  stop: AbortSignal,
  onTimeout: () => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeout === undefined) return work(stop);
  const own = createAbortController();
  const onStop = () => own.abort(stop.reason);
  let late: ReconcileTimeout | undefined;
  const timer = clock.setTimeout(() => {
    late = new ReconcileTimeout(`not finished after ${timeout / 1000} s`);
    own.abort(late);
    onTimeout();
  }, timeout);
  if (stop.aborted) onStop();
  else stop.addEventListener("abort", onStop, { once: true });
  try {
    const result = await work(own.signal);
    if (late !== undefined) throw late;
    return result;
  } finally {
    clock.clearTimeout(timer);
    stop.removeEventListener("abort", onStop);
    own.abort(RECONCILE_ENDED);
  }
}
