import type { Machine } from "./machine.ts";
import type { Outcome } from "./outcome.ts";

/** What bench/results/<name>.json holds. */
export interface Kept extends Outcome {
  readonly name: string;
  readonly full: boolean;
  readonly seconds: number;
  readonly machine: Machine;
  /** Of each core, before and after. */
  readonly load: { readonly before: number; readonly after: number };
}
