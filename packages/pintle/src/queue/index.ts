/**
 * The work queue.
 *
 * In: keys with the reason for which they are enqueued, an optional delay and a priority. Out: one run at a time per key, highest priority
 * first, failures retried with exponential backoff. `createKeyQueue` decides which key is next and is pure: time is an argument.
 * `createWorkQueue` adds workers and timers.
 */
export { type EnqueueEvent, type EnqueueReason, formatReason, mergeReasons } from "./enqueue-reason.ts";
export {
  createKeyQueue,
  type EnqueueOptions,
  type KeyQueue,
  type KeyQueueOptions,
  LOW_PRIORITY,
  type QueuedKey,
  type WorkItem,
  type WorkOutcome,
} from "./key-queue.ts";
export { createWorkQueue, type WorkQueue, type WorkQueueObserver, type WorkQueueOptions } from "./work-queue.ts";
