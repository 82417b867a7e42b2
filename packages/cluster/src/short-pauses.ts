import { setFlagsFromString } from "node:v8";

/** At how many per cent of the young generation garbage is collected between two tasks, instead of when there is no room left. */
const EARLY = 10;

/**
 * Makes V8 collect young garbage early and often, when the event loop has a moment. A server that takes a thousand writes a second
 * fills 16 MB five times a second, and what survives of so much takes 5 ms to move, which is what the slowest hundredth of
 * its answers waited for. A tenth of it takes a millisecond.
 */
export function shortPauses(): void {
  setFlagsFromString(`--minor-gc-task-trigger=${EARLY}`);
}
