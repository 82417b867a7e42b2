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

  return {
    oldest: () => oldest,
    append(event) {
      if (count === capacity) drop();
      ring[(first + count) % capacity] = event;
      count++;
    },
    *after(after) {
      // Every commit takes the next revision, so events sit at a known distance from the newest.
      const skip = count === 0 ? 0 : Math.max(0, after + 1 - at(0).revision);
      for (let index = skip; index < count; index++) yield at(index);
    },
    compact(revision) {
      while (count > 0 && at(0).revision <= revision) drop();
      oldest = Math.max(oldest, revision);
    },
  };
}
