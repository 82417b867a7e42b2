/** A cache by string. */
export interface StringCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** What an entry costs beside the characters of its key. */
const ENTRY_BYTES = 128;
const BYTES_PER_CHARACTER = 2;
/** A key that takes a larger part of the cache than this is not cached: it would evict all others. */
const MAX_KEY_PART = 1 / 32;

/**
 * Creates a cache by string that is bounded by bytes: of its keys, and of its values where `sizeOf` is given. Entries that were not used
 * recently are evicted. For keys that clients choose: a bound by number would let them choose the memory it takes.
 */
export function createStringCache<V>(maxBytes: number, sizeOf: (value: V) => number = () => 0): StringCache<V> {
  const maxKeyLength = (maxBytes * MAX_KEY_PART) / BYTES_PER_CHARACTER;
  let recent = new Map<string, V>();
  let previous = new Map<string, V>();
  let bytes = 0;
  const add = (key: string, value: V) => {
    recent.set(key, value);
    bytes += ENTRY_BYTES + key.length * BYTES_PER_CHARACTER + sizeOf(value);
    if (bytes <= maxBytes / 2) return;
    previous = recent;
    recent = new Map();
    bytes = 0;
  };
  return {
    get(key) {
      const known = recent.get(key);
      if (known !== undefined) return known;
      const before = previous.get(key);
      if (before !== undefined) add(key, before);
      return before;
    },
    set(key, value) {
      if (key.length <= maxKeyLength) add(key, value);
    },
  };
}
