import { setMaxListeners } from "node:events";

/** Calls `run` when the signal aborts; the function returned takes that back. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  // One signal may end any number of requests at once, which Node would take for a leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}
