import type { StoreEvent } from "./store.ts";

/** The last commits, oldest first: so many, and so many bytes of what they replaced, that history costs a bounded amount of memory. */
export interface EventLog {
  append(event: StoreEvent): void;
  /** Events after revision `after`, ascending; only valid when `after` >= `oldest()`. */
  after(after: number): IterableIterator<StoreEvent>;
  /** The oldest revision from which all later events are here. */
  oldest(): number;
  /** Drops events up to and including `revision`. */
  compact(revision: number): void;
  all(): readonly StoreEvent[];
}

/** How much is kept. */
export interface Extent {
  readonly events: number;
  /** About; the newest event is kept whatever it weighs. */
  readonly bytes: number;
  /** Told of every event that is not kept any longer. */
  forget(event: StoreEvent): void;
}

/** `past` is what has been before: it is shared, not copied, until the log grows; what it weighs is its owner's business. */
export function eventLog({ events: capacity, bytes, forget }: Extent, start: number, past: readonly StoreEvent[] = []): EventLog {
  let ring = past as (StoreEvent | undefined)[];
  let own = false;
  let first = 0;
  let count = past.length;
  let oldest = start;
  const weights: number[] = [];
  let weight = 0;

  const at = (index: number) => ring[(first + index) % capacity] as StoreEvent;
  const change = () => {
    if (!own) ring = ring.slice();
    own = true;
  };
  const drop = () => {
    change();
    const event = at(0);
    oldest = event.revision;
    forget(event);
    ring[first] = undefined;
    weight -= weights[first] ?? 0;
    weights[first] = 0;
    first = (first + 1) % capacity;
    count--;
  };

  const firstAfter = (revision: number): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    oldest: () => oldest,
    append(event) {
      change();
      // Only what was replaced is kept for history's sake; what is there now is kept anyway.
      const replaced = event.previous?.length ?? 0;
      while (count > 0 && (count === capacity || weight + replaced > bytes)) drop();
      const place = (first + count) % capacity;
      ring[place] = event;
      weights[place] = replaced;
      weight += replaced;
      count++;
    },
    *after(after) {
      for (let index = firstAfter(after); index < count; index++) yield at(index);
    },
    compact(revision) {
      while (count > 0 && at(0).revision <= revision) drop();
      oldest = Math.max(oldest, revision);
    },
    all: () => Array.from({ length: count }, (_, index) => at(index)),
  };
}
