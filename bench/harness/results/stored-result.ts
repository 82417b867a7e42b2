import type { BenchmarkResult } from "../benchmark.ts";
import type { MachineInfo } from "../process/machine.ts";

/** The content of bench/results/<name>.json. */
export interface StoredResult extends BenchmarkResult {
  readonly name: string;
  readonly full: boolean;
  readonly seconds: number;
  readonly machine: MachineInfo;
  /** CPU load of other processes before and after the run, as a share of all cores. */
  readonly load: { readonly before: number; readonly after: number };
}
