/**
 * Turns: how work that holds up other requests is divided. A process has one event loop, and a piece of such work runs without interruption;
 * between two pieces every connection is read and every small request is served.
 */

export { ChunkTurns } from "./chunk-turns.ts";
export { FairQueue } from "./fair-queue.ts";
export { StartQueue } from "./start-queue.ts";

/** The turns of one piece of work, a large request for example. */
export interface Turns {
  /**
   * Resolves when it is the caller's turn, which lasts until the caller waits for something. Work that began earlier comes first, so that few large
   * requests are in memory at the same time.
   */
  wait(): Promise<void>;
  /** Whether the work is divided by time at all. */
  readonly isDivided: boolean;
}

/** Gives turns, one at a time. After each one the event loop belongs to the others for as long as the turn lasted, or until they have nothing to do. */
export interface TurnQueue {
  /** Registers work by the time of its begin. */
  begin(): Turns;
}

interface WaitingTurn {
  readonly order: number;
  resume(): void;
}

/** How often the event loop finds nothing to do before the next turn is given early. */
const QUIET_ITERATIONS = 3;
/** An iteration of the event loop that takes less time served no request. */
const QUIET_ITERATION_MS = 0.1;

export function createTurnQueue(): TurnQueue {
  const waiting: WaitingTurn[] = [];
  let begun = 0;
  let isRunning = false;
  let turnStart = 0;
  let restUntil = 0;
  let iterationStart = 0;
  let quiet = 0;

  const start = () => {
    if (waiting.length === 0) {
      isRunning = false;
      return;
    }
    turnStart = performance.now();
    takeFirst(waiting)?.resume();
    // Runs after the turn: what was resumed is a microtask, and comes before this callback of the same iteration.
    setImmediate(rest);
  };
  const rest = () => {
    iterationStart = performance.now();
    restUntil = 2 * iterationStart - turnStart;
    quiet = 0;
    setImmediate(checkRest);
  };
  const checkRest = () => {
    const now = performance.now();
    quiet = now - iterationStart < QUIET_ITERATION_MS ? quiet + 1 : 0;
    iterationStart = now;
    if (now < restUntil && quiet < QUIET_ITERATIONS) setImmediate(checkRest);
    else start();
  };
  return {
    begin() {
      const order = begun++;
      return {
        isDivided: true,
        wait: () =>
          new Promise((resume) => {
            waiting.push({ order, resume });
            if (isRunning) return;
            isRunning = true;
            setImmediate(start);
          }),
      };
    },
  };
}

function takeFirst(waiting: WaitingTurn[]): WaitingTurn | undefined {
  let first = 0;
  for (const [index, { order }] of waiting.entries()) if (order < (waiting[first] as WaitingTurn).order) first = index;
  return waiting.splice(first, 1)[0];
}

/** The turns of the event loop, of which a process has one. */
export const eventLoopTurns: TurnQueue = createTurnQueue();

/**
 * Never divides work: for servers with a virtual clock, where the order of events must not depend on the speed of the machine.
 */
export const undividedTurns: TurnQueue = { begin: () => ({ isDivided: false, wait: () => Promise.resolve() }) };

/** How long a slice of work may take in its turn, and before its first turn: many requests may begin in one iteration of the event loop. */
const SLICE_MS = 10;
const FIRST_SLICE_MS = 1;

/** A long loop, cut into slices: `if (slices.isOver()) await slices.next();` in front of each step. */
export class Slices {
  readonly #turns: Turns;
  #end = performance.now() + FIRST_SLICE_MS;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  isOver(): boolean {
    return this.#turns.isDivided && performance.now() > this.#end;
  }

  async next(): Promise<void> {
    await this.#turns.wait();
    this.#end = performance.now() + SLICE_MS;
  }
}

/** Maps items in slices. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T, index: number) => R, turns: Turns): Promise<R[]> {
  const results: R[] = [];
  const slices = new Slices(turns);
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_PER_CHECK === ITEMS_PER_CHECK - 1 && slices.isOver()) await slices.next();
    results.push(map(item, index));
  }
  return results;
}

const ITEMS_PER_CHECK = 16;

/** Hands on what an iterable yields, a slice of time at a time. */
export async function* yieldInTurns<T>(items: Iterable<T>, turns: Turns): AsyncGenerator<T> {
  const slices = new Slices(turns);
  for (const item of items) {
    yield item;
    if (slices.isOver()) await slices.next();
  }
}
