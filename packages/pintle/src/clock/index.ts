/**
 * Time, randomness and cancellation as values that are passed in, so that tests and the embedded control plane can replace them.
 *
 * In: a start time, a seed, parent signals. Out: a `Clock` (the system's, or a virtual one that changes only when it is advanced), a
 * `Random` (`Math.random`, or a seeded one), and helpers around `AbortSignal`. The heap orders timers here and keys in the work queue.
 */
export { anySignal, createAbortController, onAbort, rejectOnAbort } from "./abort.ts";
export { backgroundClock, type Clock, systemClock, type Timer, type WallClock } from "./clock.ts";
export { createHeap, type Heap, type HeapNode } from "./heap.ts";
export { type Random, seededRandom } from "./random.ts";
export { type VirtualClock, virtualClock } from "./virtual-clock.ts";
