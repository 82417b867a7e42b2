import type { Value } from "../values/value.ts";

/** One evaluation under way. */
export interface Run {
  /** Values of variables, those of macros included. */
  readonly slots: Value[];
  cost: number;
  readonly limit: number;
}

/** Evaluates one node. */
export type Step = (run: Run) => Value;

/** The evaluation was stopped because it cost too much. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

export function spend(run: Run, cost: number): void {
  run.cost += cost;
  if (run.cost > run.limit) throw new CostExceeded();
}
