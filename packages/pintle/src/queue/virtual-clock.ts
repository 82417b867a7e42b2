import { type Clock, sleepOn, type Timer } from "./clock.ts";
import { heap, type Node } from "./heap.ts";

export interface VirtualClock extends Clock {
  /** Lets `ms` pass: every timer due until then fires in order, and what it starts is given time to finish before the next one. */
  advance(ms: number): Promise<void>;
  /** Waits, without letting time pass, until nothing has used this clock for a few turns of the event loop. */
  settle(): Promise<void>;
  /** Timers not fired yet. */
  readonly pending: number;
  /** Milliseconds until the next timer; undefined when there is none. */
  readonly next: number | undefined;
}

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Turns of the event loop without a use of the clock after which a system on promises alone is taken to be at rest. */
const QUIET = 4;

/** A clock that stands still until `advance`. Deterministic: timers of the same instant fire in the order they were set. */
export function virtualClock(start: number | string = "2026-01-01T00:00:00Z"): VirtualClock {
  const epoch = typeof start === "number" ? start : Date.parse(start);
  const alarms = heap<Alarm>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  let elapsed = 0;
  let uses = 0;

  const settle = async () => {
    for (let seen = -1, quiet = 0; quiet < QUIET; quiet = seen === uses ? quiet + 1 : 0) {
      seen = uses;
      await new Promise((turn) => setImmediate(turn));
    }
  };
  const clock: VirtualClock = {
    now() {
      uses++;
      return epoch + elapsed;
    },
    monotonic() {
      uses++;
      return elapsed;
    },
    setTimeout(run, ms) {
      uses++;
      return alarms.push({ at: elapsed + Math.max(0, ms), order: uses, run });
    },
    clearTimeout(timer: Timer | undefined) {
      uses++;
      if (timer !== undefined) alarms.remove(timer as Node<Alarm>);
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    settle,
    async advance(ms) {
      const end = elapsed + ms;
      await settle();
      for (let first = alarms.peek(); first !== undefined && first.at <= end; first = alarms.peek()) {
        alarms.pop();
        elapsed = Math.max(elapsed, first.at);
        first.run();
        await settle();
      }
      elapsed = end;
    },
    get pending() {
      return alarms.size;
    },
    get next() {
      const first = alarms.peek();
      return first && first.at - elapsed;
    },
  };
  return clock;
}
