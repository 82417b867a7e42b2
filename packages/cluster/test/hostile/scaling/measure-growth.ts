/** A function that sees client input, and an input of a size to run it with. */
export interface ScalingCase {
  readonly name: string;
  /** Builds an input whose length grows with `size`. */
  input(size: number): unknown;
  run(input: never): unknown;
  /** The largest size to measure. Default: a million. */
  readonly maxSize?: number;
}

const FIRST_SIZE = 1000;
const DEFAULT_MAX_SIZE = 500_000;
/** Shorter times are noise. */
const MIN_MEASURED_MS = 6;
/** A garbage collection within one doubling would distort it; over several it does not matter. */
const DOUBLINGS = 3;
const ROUNDS = 2;
const MAX_ROUNDS = 20;

/**
 * Returns how much longer the function takes for an input of twice the length: 2 for a linear one, 4 for a quadratic one. The input grows until
 * the time can be measured; 0 if the largest one takes next to no time. CPU time is measured, which other processes hardly influence. Compilation
 * and garbage collection only ever lengthen a run, so the shortest of several is compared. While the quotient is above `enough`, more are made: of the
 * short input as many in a row as take as long as one of the long input, because a busy machine lengthens a long run and leaves a short one alone.
 */
export async function measureGrowth({ input, run, maxSize = DEFAULT_MAX_SIZE }: ScalingCase, enough: number): Promise<number> {
  const time = async (value: unknown, times = 1): Promise<number> => {
    const start = process.cpuUsage();
    for (let count = 0; count < times; count++) {
      try {
        await run(value as never);
      } catch {
        // Refused input takes time as well.
      }
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000 / times;
  };
  let size = FIRST_SIZE;
  for (let last = await time(input(size)); last < MIN_MEASURED_MS; last = await time(input(size))) {
    if (size * 2 > maxSize) return 0;
    size *= 2;
  }
  // A cold first run is slower than all others.
  const [small, large] = [input(Math.ceil(size / 2 ** DOUBLINGS)), input(size)];
  let [best, bestOfLarge] = [await time(small), await time(large)];
  const getGrowth = () => (bestOfLarge / best) ** (1 / DOUBLINGS);
  for (let round = 1; round < MAX_ROUNDS && (round < ROUNDS || getGrowth() > enough); round++) {
    if (round === ROUNDS) best = Number.POSITIVE_INFINITY;
    best = Math.min(best, await time(small, round < ROUNDS ? 1 : 2 ** DOUBLINGS));
    bestOfLarge = Math.min(bestOfLarge, await time(large));
  }
  return bestOfLarge < MIN_MEASURED_MS ? 0 : getGrowth();
}
