import { type Clock, systemClock } from "pintle/queue";

const LONGEST = 2 ** 31 - 1;

/** The system's clock, but its timers never keep the process alive: a watch that nobody ends must not either. */
export const backgroundClock: Clock = {
  ...systemClock,
  setTimeout(run, ms) {
    // Node fires at once beyond 31 bits; no wait of the server's own is that long.
    const timer = setTimeout(run, Math.min(ms, LONGEST));
    timer.unref();
    return timer;
  },
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

let second = Number.NaN;
let text = "";

/** RFC 3339 in UTC with second precision: what metav1.Time looks like on the wire. */
export function timestamp(ms: number): string {
  // Most calls are for the second of the call before.
  if (Math.floor(ms / 1000) !== second) {
    second = Math.floor(ms / 1000);
    text = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  }
  return text;
}
