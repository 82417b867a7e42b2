import { BudgetExceededError, createActivation, type ExpressionInputs } from "./activation.ts";
import { CONDITION_RESULT, createExpressionEnvironment, type ExpressionEnvironment } from "./environment.ts";

/** Result of matchConditions. Errors count only if no condition is false. */
export type MatchConditionsResult = { readonly type: "met" | "unmet" } | { readonly type: "failed"; readonly errors: readonly string[] };

export interface MatchConditions {
  evaluate(situation: ExpressionInputs): MatchConditionsResult;
}

export interface MatchConditionsOptions {
  /** With "Ignore", a condition that fails counts as not met. */
  readonly failurePolicy: "Fail" | "Ignore";
  readonly environment?: ExpressionEnvironment | undefined;
}

const MATCH_CONDITIONS_COST_BUDGET = 2_500_000;

export function compileMatchConditions(
  declared: readonly { readonly expression: string }[],
  { failurePolicy, environment = createExpressionEnvironment() }: MatchConditionsOptions,
): MatchConditions {
  const expressions = declared.map(({ expression }) => environment.compile(expression, CONDITION_RESULT));
  const createFailure = (errors: readonly string[]): MatchConditionsResult =>
    failurePolicy === "Fail" ? { type: "failed", errors } : { type: "unmet" };
  return {
    evaluate(situation) {
      try {
        const activation = createActivation(situation, environment, MATCH_CONDITIONS_COST_BUDGET);
        const outcomes = expressions.map((expression) => activation.evaluate(expression));
        const errors: string[] = [];
        for (const outcome of outcomes) {
          if ("error" in outcome) errors.push(outcome.error);
          else if (outcome.value === false) return { type: "unmet" };
        }
        return errors.length === 0 ? { type: "met" } : createFailure(errors);
      } catch (error) {
        if (error instanceof BudgetExceededError) return createFailure([error.message]);
        throw error;
      }
    },
  };
}
