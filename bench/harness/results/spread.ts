/** The median and the range of a figure over several repeats. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly repeats: number;
}

export function computeSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: percentile(sorted, 50), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN, repeats: sorted.length };
}

/** The spread of every figure over all rounds. */
export function computeSpreads<T extends { readonly [K in keyof T]: number }>(rounds: readonly T[]): { readonly [K in keyof T]: Spread } {
  const names = Object.keys(rounds[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, computeSpread(rounds.map((round) => round[name]))])) as { [K in keyof T]: Spread };
}

/** A percentile of numbers in ascending order. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return computeSpread(values).median;
}

/** "3.61 (3.52 to 3.90)", or "3.61" for a single measurement. */
export function formatSpread({ median, min, max, repeats }: Spread, digits = 0): string {
  return repeats === 1
    ? formatNumber(median, digits)
    : `${formatNumber(median, digits)} (${formatNumber(min, digits)} to ${formatNumber(max, digits)})`;
}

export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
