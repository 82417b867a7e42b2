/** From the least to the most something can be: a size or a cost. Sums and products never exceed MAX. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** As good as unlimited: what a 64-bit counter holds. */
export const MAX = 2 ** 64;
export const UNKNOWN: Range = { min: 0, max: MAX };
export const NONE: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };

export const fixed = (value: number): Range => ({ min: value, max: value });
const capped = (value: number) => Math.min(value, MAX);

export function add(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min = capped(min + range.min);
    max = capped(max + range.max);
  }
  return { min, max };
}

export function multiply(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** Rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
