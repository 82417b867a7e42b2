import type { Value } from "../values/value.ts";

/** State of one evaluation. */
export interface EvaluationState {
  /** Values of the variables, including the iteration variables of macros. */
  readonly slots: Value[];
  cost: number;
  readonly limit: number;
}

/** Evaluates one node of the expression. */
export type EvaluationStep = (run: EvaluationState) => Value;

/** Thrown when an evaluation exceeds its cost limit. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

export function addCost(run: EvaluationState, cost: number): void {
  run.cost += cost;
  if (run.cost > run.limit) throw new CostExceeded();
}
