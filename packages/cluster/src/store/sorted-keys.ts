/** Strings in order, in chunks short enough that inserting moves few of them. */
export interface SortedKeys {
  readonly size: number;
  add(key: string): void;
  delete(key: string): void;
  /** Keys >= `from`, ascending. Not to be changed while iterated. */
  from(from: string): IterableIterator<string>;
  all(): readonly string[];
}

const CHUNK = 512;

/** `first` is in order already. */
export function sortedKeys(first: readonly string[] = []): SortedKeys {
  // Never an empty chunk, except the only one.
  const chunks: string[][] = [];
  for (let at = 0; at < first.length; at += CHUNK) chunks.push(first.slice(at, at + CHUNK));
  if (chunks.length === 0) chunks.push([]);
  let size = first.length;

  /** Index of the chunk whose range holds `key`: the last one that starts at or before it. */
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
    *from(from) {
      let index = chunkOf(from);
      let at = lowerBound(chunks[index] as string[], from);
      for (; index < chunks.length; index++, at = 0) {
        const chunk = chunks[index] as string[];
        for (; at < chunk.length; at++) yield chunk[at] as string;
      }
    },
    all: () => chunks.flat(),
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
