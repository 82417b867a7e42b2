/** A figure over the rounds of a run. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spread(figures: readonly number[]): Spread {
  return { median: median(figures), least: Math.min(...figures), most: Math.max(...figures) };
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
}

/** "1,234 (1,100 to 1,300)" */
export function spreadText({ median, least, most }: Spread, digits = 0): string {
  return `${number(median, digits)} (${number(least, digits)} to ${number(most, digits)})`;
}

export function number(figure: number, digits = 0): string {
  return figure.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
