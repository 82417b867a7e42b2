/** Seeded randomness: the same seed gives the same sequence on every machine. */
export interface Random {
  /** 0 ≤ n < below */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A random subset of the items, in random order. */
  some<T>(items: readonly T[], most?: number): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)]!,
    some: (items, most = items.length) => {
      const left = [...items];
      const out = [];
      for (let n = int(Math.min(most, left.length) + 1); n > 0; n--) out.push(...left.splice(int(left.length), 1));
      return out;
    },
  };
}
