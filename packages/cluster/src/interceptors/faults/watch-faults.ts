import type { Clock } from "pintle/internal/clock";
import type { WatchEvent, WatchSink, WatchStream } from "../../api/index.ts";
import type { ActivityTracker } from "../activity-tracker.ts";
import type { RequestAttributes } from "../request-match.ts";
import type { FaultInjector } from "./fault-injector.ts";

export interface WatchFaultContext {
  readonly clock: Clock;
  readonly faults: FaultInjector;
  readonly activity: ActivityTracker;
  /** Functions that break the open watches. */
  readonly openWatches: Set<() => void>;
  /** Aborts when pending delays must end. */
  readonly released: AbortSignal;
}

/** Wraps a watch stream so that its events are subject to the fault rules. */
export function injectWatchFaults(
  stream: WatchStream,
  facts: RequestAttributes,
  { clock, faults, activity, openWatches, released }: WatchFaultContext,
): WatchStream {
  return {
    open(sink) {
      let state: "open" | "stalled" | "closed" = "open";
      let stop = () => {};
      /** Events queued behind a delayed one, in order. */
      let waiting: Promise<void> | undefined;
      const finish = () => {
        state = "closed";
        openWatches.delete(disconnect);
        stop();
      };
      const disconnect = () => {
        if (state === "closed") return;
        finish();
        sink.disconnect();
      };
      const inOrder = (run: () => void) => {
        if (waiting === undefined) run();
        else waiting = waiting.then(run);
      };
      const sendEvent = (event: WatchEvent) => {
        activity.record();
        if (state === "open") sink.event(event);
      };
      const deliver = (event: WatchEvent) => {
        if (waiting === undefined) sendEvent(event);
        else waiting = waiting.then(() => sendEvent(event));
      };
      const inner: WatchSink = {
        event(event) {
          if (state !== "open") return;
          const fault = faults.getEventFault(facts, event);
          if (fault === undefined) return deliver(event);
          if ("stall" in fault) state = "stalled";
          else if ("delay" in fault) {
            waiting = (waiting ?? Promise.resolve()).then(() => clock.sleep(fault.delay, released).catch(() => {}));
            deliver(event);
          } else if ("duplicate" in fault) {
            deliver(event);
            deliver(event);
          } else if (fault.drop === "connection") inOrder(disconnect);
        },
        end: () =>
          inOrder(() => {
            if (state !== "open") return;
            finish();
            sink.end();
          }),
        disconnect,
      };
      openWatches.add(disconnect);
      stop = stream.open(inner);
      if ((state as string) === "closed") stop();
      return finish;
    },
  };
}
