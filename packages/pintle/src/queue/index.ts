/**
 * The work queue, and the clock everything that waits is given.
 *
 * In: keys with the reason they woke, a time and a priority. Out: one run at a time per key, the most urgent first,
 * failures retried with exponential backoff. `backlog` decides who is next and is pure; `queue` adds workers and timers.
 */
export { aborter } from "./aborter.ts";
export { type Backlog, type BacklogOptions, backlog, type Item, LISTED, type Outcome, type Wake } from "./backlog.ts";
export { type Clock, systemClock, type Timer } from "./clock.ts";
export { patientCompiler } from "./patient-compiler.ts";
export { type Queue, type QueueObserver, type QueueOptions, queue } from "./queue.ts";
export { type Random, seeded } from "./random.ts";
export { mergeReasons, type Reason, reasonText, type WakeEvent } from "./reason.ts";
export { type VirtualClock, virtualClock } from "./virtual-clock.ts";
