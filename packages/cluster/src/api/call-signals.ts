import { setMaxListeners } from "node:events";
import { Roster } from "./roster.ts";

/** A call under way: it aborts with the caller's own signal, and when everything is closed. */
export interface CallSignal {
  readonly aborted: boolean;
  /** Made when it is first asked for: most calls are over before anything waits for their end. */
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
  const open = new Roster<Call>();
  let closed = false;
  return {
    begin(caller) {
      const call = new Call(caller, open);
      open.add(call);
      if (closed || caller?.aborted) call.handleEvent();
      else caller?.addEventListener("abort", call);
      return call;
    },
    close() {
      closed = true;
      for (const call of open.all()) {
        open.delete(call);
        call.handleEvent();
      }
    },
  };
}

/** It listens to its caller's signal itself. */
class Call implements CallSignal {
  aborted = false;
  place = -1;
  #controller: AbortController | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #open: Roster<Call>;

  constructor(caller: AbortSignal | undefined, open: Roster<Call>) {
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
      // As many as a watch and what it waits for.
      setMaxListeners(0, this.#controller.signal);
      if (this.aborted) this.#controller.abort(this.#caller?.reason);
    }
    return this.#controller.signal;
  }

  over(): void {
    this.#open.delete(this);
    this.#caller?.removeEventListener("abort", this);
  }
}
