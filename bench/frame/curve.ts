/** Cost against size, for one side. */
export interface Curve {
  readonly title: string;
  readonly side: string;
  /** Of what there are n. */
  readonly of: string;
  readonly unit: string;
  readonly points: readonly { readonly n: number; readonly cost: number }[];
}

/** How a cost grows, as far as the points tell. */
export interface Growth {
  /** The power p of cost ~ n^p that fits best, in logarithms. */
  readonly power: number;
  /** The same of n log n over these sizes: a power above it grows faster than n log n. */
  readonly bound: number;
  /** How far the points are from the fitted line, as a part of the cost. */
  readonly error: number;
  readonly holds: boolean;
}

/** Steeper than n log n by less than this cannot be told from it. */
const TOLERANCE = 0.1;

/** Fits a power of n, and compares it with what n log n would look like at the same sizes. */
export function growth(points: Curve["points"]): Growth {
  const { slope: power, error } = line(points.map(({ n, cost }) => [Math.log(n), Math.log(cost)]));
  const { slope: bound } = line(points.map(({ n }) => [Math.log(n), Math.log(n * Math.log2(Math.max(n, 2)))]));
  return { power, bound, error, holds: power <= bound + Math.max(TOLERANCE, error) };
}

function line(points: readonly (readonly [number, number])[]): { readonly slope: number; readonly error: number } {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const slope = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0) / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  const squares = points.reduce((sum, [px, py]) => sum + (py - y - slope * (px - x)) ** 2, 0);
  return { slope, error: Math.sqrt(squares / points.length) };
}

export function growthText({ title, side, of, points }: Curve): string {
  const { power, bound, error, holds } = growth(points);
  const fit = `n^${power.toFixed(2)}, off by ${(error * 100).toFixed(0)} %; n log n would be n^${bound.toFixed(2)}`;
  return `${title}, ${side}: ${holds ? "no worse than n log n" : "GROWS FASTER THAN n log n"} in the number of ${of} (${fit})`;
}
