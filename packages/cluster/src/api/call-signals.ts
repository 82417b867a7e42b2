import { setMaxListeners } from "node:events";

/** A call under way, and its signal: it aborts with the caller's own, and when everything is closed. */
export interface CallSignal {
  readonly signal: AbortSignal;
  /** It is over; nobody holds on to it any more. */
  over(): void;
}

/** The signals of calls. Unlike those of AbortSignal.any, they leave nothing behind at signals that live for long. */
export interface CallSignals {
  begin(caller: AbortSignal | undefined): CallSignal;
  /** Aborts all, and whatever begins later. */
  close(): void;
}

export function callSignals(): CallSignals {
  const open = new Set<AbortController>();
  let closed = false;
  return {
    begin(caller) {
      const call = new AbortController();
      // As many as a watch and what it waits for.
      setMaxListeners(0, call.signal);
      const abort = () => call.abort(caller?.reason);
      const over = () => {
        open.delete(call);
        caller?.removeEventListener("abort", abort);
      };
      open.add(call);
      if (closed || caller?.aborted) abort();
      else caller?.addEventListener("abort", abort);
      return { signal: call.signal, over };
    },
    close() {
      closed = true;
      for (const call of open) call.abort();
      open.clear();
    },
  };
}
