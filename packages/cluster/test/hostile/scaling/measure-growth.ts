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
 * and garbage collection only ever lengthen a run, so the shortest of several is compared, and more are made while the quotient is above `enough`.
 */
export async function measureGrowth({ input, run, maxSize = DEFAULT_MAX_SIZE }: ScalingCase, enough: number): Promise<number> {
  const time = async (value: unknown): Promise<number> => {
    const start = process.cpuUsage();
    try {
      await run(value as never);
    } catch {
      // Refused input takes time as well.
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
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
    best = Math.min(best, await time(small));
    bestOfLarge = Math.min(bestOfLarge, await time(large));
  }
  return bestOfLarge < MIN_MEASURED_MS ? 0 : getGrowth();
}
