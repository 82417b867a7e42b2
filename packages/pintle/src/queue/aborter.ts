import { setMaxListeners } from "node:events";

/** An AbortController whose signal any number may listen to: many requests of one run are no leak. With parents, it aborts when one of them does. */
export function aborter(...parents: readonly AbortSignal[]): AbortController {
  const made = new AbortController();
  setMaxListeners(0, made.signal);
  for (const parent of parents) {
    if (parent.aborted) made.abort(parent.reason);
    else parent.addEventListener("abort", () => made.abort(parent.reason), { once: true, signal: made.signal });
  }
  return made;
}
