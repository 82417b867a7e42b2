import { setMaxListeners } from "node:events";
import { runInBackground } from "../errors/index.ts";

/**
 * Returns an AbortController whose signal takes any number of listeners without a warning: many requests of one reconcile are no leak.
 * With parents, it aborts as soon as one of them does, with the same reason.
 */
export function createAbortController(...parents: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  for (const parent of parents) {
    if (parent.aborted) controller.abort(parent.reason);
    else parent.addEventListener("abort", () => controller.abort(parent.reason), { once: true, signal: controller.signal });
  }
  return controller;
}

/**
 * `AbortSignal.any` without a bug of Node 20: a signal of `AbortSignal.timeout` that nothing else references is garbage-collected and
 * never fires (fixed in 22.23). A signal with a listener is not collected; adding the same listener twice has no effect.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  for (const signal of signals) signal.addEventListener("abort", keepSignalAlive);
  return AbortSignal.any([...signals]);
}

function keepSignalAlive(): void {}

/** Rejects with the signal's reason when it aborts. The promise itself, which others may share, is not cancelled. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const removeListener = onAbort(signal, () => reject(signal.reason));
    runInBackground(promise.then(resolve).finally(removeListener), reject);
  });
}

/** Calls `listener` when the signal aborts. The returned function removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // One signal may end any number of requests, which Node would report as a leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
