/** Sorted set of keys in chunks small enough for cheap inserts. */
export interface SortedKeys {
  readonly size: number;
  add(key: string): void;
  delete(key: string): void;
  /** Keys >= `from`, ascending. Must not be modified while iterating. */
  keysFrom(from: string): IterableIterator<string>;
  toArray(): readonly string[];
}

const CHUNK = 512;

/** Creates a set; `first` must be sorted. */
export function createSortedKeys(first: readonly string[] = []): SortedKeys {
  // Chunks are never empty, except a single one.
  const chunks: string[][] = [];
  for (let at = 0; at < first.length; at += CHUNK) chunks.push(first.slice(at, at + CHUNK));
  if (chunks.length === 0) chunks.push([]);
  let size = first.length;

  /** Index of the chunk for `key`: the last one that starts at or before it. */
  const chunkOf = (key: string): number => {
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((chunks[middle] as string[])[0]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  return {
    get size() {
      return size;
    },
    add(key) {
      const index = chunkOf(key);
      const chunk = chunks[index] as string[];
      const at = lowerBound(chunk, key);
      if (chunk[at] === key) return;
      chunk.splice(at, 0, key);
      size++;
      if (chunk.length > CHUNK) chunks.splice(index + 1, 0, chunk.splice(chunk.length >> 1));
    },
    delete(key) {
      const index = chunkOf(key);
      const chunk = chunks[index] as string[];
      const at = lowerBound(chunk, key);
      if (chunk[at] !== key) return;
      chunk.splice(at, 1);
      size--;
      if (chunk.length === 0 && chunks.length > 1) chunks.splice(index, 1);
    },
    *keysFrom(from) {
      let index = chunkOf(from);
      let at = lowerBound(chunks[index] as string[], from);
      for (; index < chunks.length; index++, at = 0) {
        const chunk = chunks[index] as string[];
        for (; at < chunk.length; at++) yield chunk[at] as string;
      }
    },
    toArray: () => chunks.flat(),
  };
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
