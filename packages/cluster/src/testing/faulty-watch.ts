import type { Clock } from "pintle/queue";
import type { WatchEvent, WatchSink, WatchStream } from "../api/index.ts";
import type { FaultBook } from "./fault-book.ts";
import type { RequestFacts } from "./match.ts";
import type { Pulse } from "./pulse.ts";

export interface Surroundings {
  readonly clock: Clock;
  readonly faults: FaultBook;
  readonly beats: Pulse;
  /** Watches that are open, by how to break them. */
  readonly open: Set<() => void>;
  /** Aborts when nothing is to be delayed any more. */
  readonly released: AbortSignal;
}

/** A watch whose events go by the rules. */
export function faultyWatch(stream: WatchStream, facts: RequestFacts, { clock, faults, beats, open, released }: Surroundings): WatchStream {
  return {
    open(sink) {
      let state: "going" | "stalled" | "over" = "going";
      let stop = () => {};
      /** What waits behind a delayed event, in order. */
      let waiting: Promise<void> | undefined;
      const over = () => {
        state = "over";
        open.delete(cut);
        stop();
      };
      const cut = () => {
        if (state === "over") return;
        over();
        sink.cut();
      };
      const inOrder = (run: () => void) => {
        if (waiting === undefined) run();
        else waiting = waiting.then(run);
      };
      const give = (event: WatchEvent) => {
        beats.beat();
        if (state === "going") sink.event(event);
      };
      const deliver = (event: WatchEvent) => {
        if (waiting === undefined) give(event);
        else waiting = waiting.then(() => give(event));
      };
      const inner: WatchSink = {
        event(event) {
          if (state !== "going") return;
          const fault = faults.ofEvent(facts, event);
          if (fault === undefined) return deliver(event);
          if ("stall" in fault) state = "stalled";
          else if ("delay" in fault) {
            waiting = (waiting ?? Promise.resolve()).then(() => clock.sleep(fault.delay, released).catch(() => {}));
            deliver(event);
          } else if ("duplicate" in fault) {
            deliver(event);
            deliver(event);
          } else if (fault.drop === "connection") inOrder(cut);
        },
        end: () =>
          inOrder(() => {
            if (state !== "going") return;
            over();
            sink.end();
          }),
        cut,
      };
      open.add(cut);
      stop = stream.open(inner);
      if ((state as string) === "over") stop();
      return over;
    },
  };
}
