import type { GrowthCurve } from "./results/growth-curve.ts";
import type { Table } from "./results/table.ts";

/** The sizes a benchmark uses: `quick` only shows that it works, `full` takes hours. */
export interface BenchmarkOptions {
  readonly quick: boolean;
  readonly full: boolean;
  /** Names of the sides to measure. Default: all. */
  readonly sides?: readonly string[] | undefined;
}

/** What a benchmark returns to bench/run.ts, which prints, draws and stores it. */
export interface BenchmarkResult {
  readonly tables: readonly Table[];
  readonly curves?: readonly GrowthCurve[] | undefined;
  /** Peers that could not be built or failed, with the reason. */
  readonly missing?: Readonly<Record<string, string>> | undefined;
}

/** Selects the sizes that the options ask for. */
export function selectSizes<T>({ quick, full }: BenchmarkOptions, sizes: { readonly quick: T; readonly default: T; readonly full: T }): T {
  if (full) return sizes.full;
  return quick ? sizes.quick : sizes.default;
}
