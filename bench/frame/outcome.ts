import type { Curve } from "./curve.ts";
import type { Table } from "./table.ts";

/** How much a benchmark does: `quick` only shows that it works, `full` takes as long as it takes. */
export interface Options {
  readonly quick: boolean;
  readonly full: boolean;
  /** Only these take part. */
  readonly sides?: readonly string[] | undefined;
}

/** What a benchmark hands to the runner, which prints, draws and keeps it. */
export interface Outcome {
  readonly tables: readonly Table[];
  readonly curves?: readonly Curve[] | undefined;
  /** Peers that could not be built or did not get through, and why. */
  readonly missing?: Readonly<Record<string, string>> | undefined;
}

/** The size that was asked for. */
export function sized<T>({ quick, full }: Options, sizes: { readonly quick: T; readonly usual: T; readonly full: T }): T {
  if (full) return sizes.full;
  return quick ? sizes.quick : sizes.usual;
}
