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

/** RFC 3339 in UTC with second precision: what metav1.Time looks like on the wire. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
