import { FairQueue } from "./fair-queue.ts";

/** How long work is started in one iteration of the event loop. */
const SLICE_MS = 5;
/** How many callbacks start queued work in one iteration. */
const MAX_STARTS = 32;
/** How much work may wait; beyond it the source with the most loses its last. */
const MAX_WAITING = 5000;

interface QueuedWork {
  start(): void;
  refuse(): void;
}

/**
 * Starts the work of many sources, the requests of connections for example. It starts at once, unless much was started in this iteration of the
 * event loop; then sources take turns, so that one with little work does not wait for all the work of the others.
 */
export class StartQueue<K extends object> {
  #queue = new FairQueue<QueuedWork, K>();
  #sliceEnd = 0;
  #isScheduled = false;

  /** Calls `work`, now or later, or `refuse` if too much is waiting. */
  start(source: K, work: () => void, refuse: () => void): void {
    const now = performance.now();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#sliceEnd = now + SLICE_MS;
      setImmediate(() => this.#nextIteration());
    }
    if (this.#queue.length === 0 && now < this.#sliceEnd) work();
    else this.#add(source, { start: work, refuse });
  }

  #add(source: K, work: QueuedWork): void {
    this.#queue.push(source, work);
    if (this.#queue.length <= MAX_WAITING) return;
    const longest = this.#queue.peekLongest();
    if (longest === undefined) return;
    this.#queue.delete(longest.key, longest.last);
    longest.last.refuse();
  }

  #nextIteration(): void {
    if (this.#queue.length === 0) {
      this.#isScheduled = false;
      // Forgets sources that are gone.
      this.#queue = new FairQueue();
      return;
    }
    this.#sliceEnd = Number.NaN;
    // Promises are resolved between the callbacks of an iteration, so that each of them sees how long the work before it took.
    for (let starts = Math.min(MAX_STARTS, this.#queue.length); starts > 0; starts--) setImmediate(() => this.#startNext());
    setImmediate(() => this.#nextIteration());
  }

  #startNext(): void {
    const now = performance.now();
    // The slice begins with the first start: what else the iteration did does not count.
    if (Number.isNaN(this.#sliceEnd)) this.#sliceEnd = now + SLICE_MS;
    if (now < this.#sliceEnd) this.#queue.shift(1)?.start();
  }
}
