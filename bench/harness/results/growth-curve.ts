/** The cost of one side as a function of a parameter. */
export interface GrowthCurve {
  readonly title: string;
  readonly side: string;
  /** What is counted: objects, watchers, controllers. */
  readonly parameter: string;
  readonly unit: string;
  readonly points: readonly { readonly n: number; readonly cost: number }[];
}

/** The result of fitting cost ~ n^p to the points of a curve. */
export interface GrowthFit {
  /** The exponent p, from a linear regression of the logarithms. */
  readonly exponent: number;
  /** The exponent that n log n has over the same range of n. */
  readonly limit: number;
  /** The root mean square deviation of the points from the fit, relative to the cost. */
  readonly error: number;
  readonly isWithinLimit: boolean;
}

/** Exponents that exceed the limit by less than this are not distinguishable from it. */
const TOLERANCE = 0.1;

/** Fits a power of n and compares its exponent with that of n log n. */
export function fitGrowth(points: GrowthCurve["points"]): GrowthFit {
  const { slope: exponent, error } = fitLine(points.map(({ n, cost }) => [Math.log(n), Math.log(cost)]));
  const { slope: limit } = fitLine(points.map(({ n }) => [Math.log(n), Math.log(n * Math.log2(Math.max(n, 2)))]));
  return { exponent, limit, error, isWithinLimit: exponent <= limit + Math.max(TOLERANCE, error) };
}

function fitLine(points: readonly (readonly [number, number])[]): { readonly slope: number; readonly error: number } {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const slope = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0) / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  const squares = points.reduce((sum, [px, py]) => sum + (py - y - slope * (px - x)) ** 2, 0);
  return { slope, error: Math.sqrt(squares / points.length) };
}

export function formatGrowth({ title, side, parameter, points }: GrowthCurve): string {
  const { exponent, limit, error, isWithinLimit } = fitGrowth(points);
  const fit = `n^${exponent.toFixed(2)}, fit error ${(error * 100).toFixed(0)} %; n log n is n^${limit.toFixed(2)} over this range`;
  return `${title}, ${side}: ${isWithinLimit ? "at most n log n" : "GROWS FASTER THAN n log n"} in the number of ${parameter} (${fit})`;
}
