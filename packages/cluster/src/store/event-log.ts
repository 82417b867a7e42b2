import type { StoreEvent } from "./store.ts";

/** The last commits, oldest first; a ring, so that history costs a bounded amount of memory. */
export interface EventLog {
  append(event: StoreEvent): void;
  /** Events after revision `after`, ascending; only valid when `after` >= `oldest()`. */
  after(after: number): IterableIterator<StoreEvent>;
  /** The oldest revision from which all later events are here. */
  oldest(): number;
  /** Drops events up to and including `revision`. */
  compact(revision: number): void;
}

export function eventLog(capacity: number, start: number): EventLog {
  const ring: (StoreEvent | undefined)[] = [];
  let first = 0;
  let count = 0;
  let oldest = start;

  const at = (index: number) => ring[(first + index) % capacity] as StoreEvent;
  const drop = () => {
    oldest = at(0).revision;
    ring[first] = undefined;
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
      if (count === capacity) drop();
      ring[(first + count) % capacity] = event;
      count++;
    },
    *after(after) {
      for (let index = firstAfter(after); index < count; index++) yield at(index);
    },
    compact(revision) {
      while (count > 0 && at(0).revision <= revision) drop();
      oldest = Math.max(oldest, revision);
    },
  };
}
