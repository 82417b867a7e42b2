/** The range of a size or cost estimate. Sums and products are capped at MAX_ESTIMATE. */
export interface EstimateRange {
  readonly min: number;
  readonly max: number;
}

/** The largest value of a 64-bit counter; stands for "unlimited". */
export const MAX_ESTIMATE = 2 ** 64;
export const UNKNOWN_RANGE: EstimateRange = { min: 0, max: MAX_ESTIMATE };
export const ZERO_RANGE: EstimateRange = { min: 0, max: 0 };
export const UNIT_RANGE: EstimateRange = { min: 1, max: 1 };

export const fixedRange = (value: number): EstimateRange => ({ min: value, max: value });
const capEstimate = (value: number) => Math.min(value, MAX_ESTIMATE);

export function addRanges(...ranges: readonly EstimateRange[]): EstimateRange {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min = capEstimate(min + range.min);
    max = capEstimate(max + range.max);
  }
  return { min, max };
}

export function multiplyRanges(a: EstimateRange, b: EstimateRange): EstimateRange {
  return { min: capEstimate(a.min * b.min), max: capEstimate(a.max * b.max) };
}

/** Multiplies both ends of a range and rounds up. */
export function scaleRange({ min, max }: EstimateRange, factor: number): EstimateRange {
  return { min: capEstimate(Math.ceil(min * factor)), max: capEstimate(Math.ceil(max * factor)) };
}

export function unionRanges(a: EstimateRange, b: EstimateRange): EstimateRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
