import { FairQueue } from "./fair-queue.ts";

/** How long work is started in one iteration of the event loop. */
const SLICE_MS = 5;
/** How many callbacks start queued work in one iteration. */
const MAX_STARTS = 32;
/** How much work may wait; beyond it the source with the most loses its last. */
const MAX_WAITING = 5000;
/** What the first work of a source is expected to take. */
const UNKNOWN_COST_MS = 2;

interface QueuedWork<K> {
  readonly source: K;
  start(): void;
  refuse(): void;
}

/**
 * Starts the work of many sources, the requests of connections for example. It starts at once, unless much was started in this iteration of the
 * event loop; then sources take turns by the time that their work takes. One with little work does not wait for all the work of the others, nor one
 * with short work for one piece of long work of each of many others.
 */
export class StartQueue<K extends object> {
  #queue = new FairQueue<QueuedWork<K>, K>();
  /** What the work of a source took lately, in milliseconds. */
  readonly #costs = new WeakMap<K, number>();
  #sliceEnd = 0;
  #isScheduled = false;
  /** The source whose work was started last, and when; undefined when that work is charged. */
  #running: { readonly source: K; readonly since: number } | undefined;

  /** Calls `work`, now or later, or `refuse` if too much is waiting. */
  start(source: K, work: () => void, refuse: () => void): void {
    const now = performance.now();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#sliceEnd = now + SLICE_MS;
      setImmediate(() => this.#nextIteration());
    }
    if (this.#queue.length === 0 && now < this.#sliceEnd) {
      work();
      this.#charge(source, performance.now() - now);
    } else this.#add({ source, start: work, refuse });
  }

  #add(work: QueuedWork<K>): void {
    this.#queue.push(work.source, work, this.#costs.get(work.source) ?? UNKNOWN_COST_MS);
    if (this.#queue.length <= MAX_WAITING) return;
    const longest = this.#queue.peekLongest();
    if (longest === undefined) return;
    this.#queue.delete(longest.key, longest.last);
    longest.last.refuse();
  }

  #nextIteration(): void {
    this.#chargeRunning(performance.now());
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
    this.#chargeRunning(now);
    if (now >= this.#sliceEnd) return;
    const work = this.#queue.shift(0);
    if (work === undefined) return;
    this.#running = { source: work.source, since: now };
    work.start();
  }

  #chargeRunning(now: number): void {
    if (this.#running === undefined) return;
    this.#charge(this.#running.source, now - this.#running.since);
    this.#running = undefined;
  }

  #charge(source: K, elapsed: number): void {
    this.#queue.charge(source, elapsed);
    const before = this.#costs.get(source);
    this.#costs.set(source, before === undefined ? elapsed : (before + elapsed) / 2);
  }
}
