import type { StoreEvent } from "../store.ts";

/** Ring buffer of the last commits, oldest first, from which watches resume. Bounded by number and by the bytes of replaced values. */
export interface WatchCache {
  append(event: StoreEvent): void;
  /** Events after revision `after`, ascending. `after` must be >= `oldestRevision()`. */
  eventsAfter(after: number): IterableIterator<StoreEvent>;
  /** The oldest revision from which all later events are available. */
  oldestRevision(): number;
  /** Drops events up to and including `revision`. */
  compact(revision: number): void;
  allEvents(): readonly StoreEvent[];
}

/** Limits of a watch cache. */
export interface WatchCacheOptions {
  readonly maxEvents: number;
  /** Approximate; the newest event is always retained. */
  readonly maxBytes: number;
  /** Called for every evicted event. */
  onEvict(event: StoreEvent): void;
}

/** Creates a watch cache. `pastEvents` are shared with their owner until the first append and do not count towards the byte limit. */
export function createWatchCache(
  { maxEvents: capacity, maxBytes, onEvict }: WatchCacheOptions,
  startRevision: number,
  pastEvents: readonly StoreEvent[] = [],
): WatchCache {
  let ring = pastEvents as (StoreEvent | undefined)[];
  let isCopied = false;
  let first = 0;
  let count = pastEvents.length;
  let oldest = startRevision;
  const retainedBytesBySlot: number[] = [];
  let retainedBytes = 0;

  const eventAt = (index: number) => ring[(first + index) % capacity] as StoreEvent;
  const copyOnWrite = () => {
    if (!isCopied) ring = ring.slice();
    isCopied = true;
  };
  const evictOldest = () => {
    copyOnWrite();
    const event = eventAt(0);
    oldest = event.revision;
    onEvict(event);
    ring[first] = undefined;
    retainedBytes -= retainedBytesBySlot[first] ?? 0;
    retainedBytesBySlot[first] = 0;
    first = (first + 1) % capacity;
    count--;
  };

  const indexAfter = (revision: number): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (eventAt(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    oldestRevision: () => oldest,
    append(event) {
      copyOnWrite();
      // Only replaced values are retained for history alone; the current value is stored anyway.
      const replaced = event.previous?.byteLength ?? 0;
      while (count > 0 && (count === capacity || retainedBytes + replaced > maxBytes)) evictOldest();
      const slot = (first + count) % capacity;
      ring[slot] = event;
      retainedBytesBySlot[slot] = replaced;
      retainedBytes += replaced;
      count++;
    },
    *eventsAfter(after) {
      for (let index = indexAfter(after); index < count; index++) yield eventAt(index);
    },
    compact(revision) {
      while (count > 0 && eventAt(0).revision <= revision) evictOldest();
      oldest = Math.max(oldest, revision);
    },
    allEvents: () => Array.from({ length: count }, (_, index) => eventAt(index)),
  };
}
