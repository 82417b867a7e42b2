import { activation, decided, OutOfBudget, type Situation } from "./activation.ts";
import { CONDITION, type Environment, environment } from "./environment.ts";

/** Whether the matchConditions of a webhook or policy are met. Errors count only where no condition says no. */
export type Met = { readonly type: "met" | "unmet" } | { readonly type: "failed"; readonly errors: readonly string[] };

export interface Conditions {
  check(situation: Situation): Promise<Met>;
}

export interface ConditionsOptions {
  /** What becomes of errors: with "Ignore" a condition that fails is one that is not met. */
  readonly failurePolicy: "Fail" | "Ignore";
  readonly within?: Environment | undefined;
}

const BUDGET = 2_500_000;

export function conditions(
  declared: readonly { readonly expression: string }[],
  { failurePolicy, within = environment() }: ConditionsOptions,
): Conditions {
  const expressions = declared.map(({ expression }) => within.compile(expression, CONDITION));
  const failed = (errors: readonly string[]): Met => (failurePolicy === "Fail" ? { type: "failed", errors } : { type: "unmet" });
  return {
    check: (situation) =>
      decided(situation, (decide) => {
        try {
          const about = activation(situation, within, BUDGET, decide);
          const outcomes = expressions.map((expression) => about.evaluate(expression));
          const errors: string[] = [];
          for (const outcome of outcomes) {
            if ("error" in outcome) errors.push(outcome.error);
            else if (outcome.value === false) return { type: "unmet" };
          }
          return errors.length === 0 ? { type: "met" } : failed(errors);
        } catch (error) {
          if (error instanceof OutOfBudget) return failed([error.message]);
          throw error;
        }
      }),
  };
}
