/** A figure taken several times. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly repeats: number;
}

export function spread(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  return { median: percentile(sorted, 50), least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN, repeats: sorted.length };
}

/** Every figure of a round, over all rounds. */
export function spreads<T extends { readonly [K in keyof T]: number }>(rounds: readonly T[]): { readonly [K in keyof T]: Spread } {
  const names = Object.keys(rounds[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, spread(rounds.map((round) => round[name]))])) as { [K in keyof T]: Spread };
}

/** Of numbers in ascending order. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

export function median(figures: readonly number[]): number {
  return spread(figures).median;
}

/** "3.61 (3.52 to 3.90)"; a figure taken once has no spread to show. */
export function spreadText({ median, least, most, repeats }: Spread, digits = 0): string {
  return repeats === 1 ? number(median, digits) : `${number(median, digits)} (${number(least, digits)} to ${number(most, digits)})`;
}

export function number(figure: number, digits = 0): string {
  return figure.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
