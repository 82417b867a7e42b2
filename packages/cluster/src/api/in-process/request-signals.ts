import { setMaxListeners } from "node:events";
import { InFlightSet } from "./in-flight-set.ts";

/** The abort signal of a request in flight: it aborts with the caller's signal, and when the transport is closed. */
export interface RequestSignal {
  readonly aborted: boolean;
  /** Created on first use: most requests complete before anything needs it. */
  readonly signal: AbortSignal;
  /** Ends the request and removes its listeners. */
  release(): void;
}

/** Creates abort signals for requests. Unlike AbortSignal.any, they leave nothing behind on long-lived signals. */
export interface RequestSignals {
  open(caller: AbortSignal | undefined): RequestSignal;
  /** Aborts all requests, and later ones at once. */
  close(): void;
}

export function createRequestSignals(): RequestSignals {
  const open = new InFlightSet<InFlightRequest>();
  let closed = false;
  return {
    open(caller) {
      const call = new InFlightRequest(caller, open);
      open.add(call);
      if (closed || caller?.aborted) call.handleEvent();
      else caller?.addEventListener("abort", call);
      return call;
    },
    close() {
      closed = true;
      for (const call of open.snapshot()) {
        open.delete(call);
        call.handleEvent();
      }
    },
  };
}

/** Listens to the caller's signal itself, without a closure. */
class InFlightRequest implements RequestSignal {
  aborted = false;
  index = -1;
  #controller: AbortController | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #open: InFlightSet<InFlightRequest>;

  constructor(caller: AbortSignal | undefined, open: InFlightSet<InFlightRequest>) {
    this.#caller = caller;
    this.#open = open;
  }

  handleEvent(): void {
    this.aborted = true;
    this.#controller?.abort(this.#caller?.reason);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // A watch and what it waits for add any number of listeners.
      setMaxListeners(0, this.#controller.signal);
      if (this.aborted) this.#controller.abort(this.#caller?.reason);
    }
    return this.#controller.signal;
  }

  release(): void {
    this.#open.delete(this);
    this.#caller?.removeEventListener("abort", this);
  }
}
