import { activation, decided, OutOfBudget, type Situation } from "../expressions/activation.ts";
import { aggregate } from "../expressions/aggregate.ts";
import { ANNOTATION, CONDITION, type Environment, type Expression, MESSAGE } from "../expressions/environment.ts";
import type { PolicyHook } from "./hooks.ts";
import type { PolicySpec } from "./stored.ts";

export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly Validation[] | undefined;
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined;
}

interface Validation {
  readonly expression: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
}

export interface Validations {
  readonly rules: readonly { readonly declared: Validation; readonly expression: Expression; readonly message: Expression | undefined }[];
  readonly annotations: readonly Expression[];
}

export function compileValidations({ validations = [], auditAnnotations = [] }: ValidatingSpec, within: Environment): Validations {
  return {
    rules: validations.map((declared) => ({
      declared,
      expression: within.compile(declared.expression, CONDITION),
      message: declared.messageExpression ? within.compile(declared.messageExpression, MESSAGE, { authorizer: false }) : undefined,
    })),
    annotations: auditAnnotations.map(({ valueExpression }) => within.compile(valueExpression.trim(), ANNOTATION)),
  };
}

/** Why a policy denies a request. */
export interface Denial {
  readonly message: string;
  /** Empty where it is not the policy's word but a failure. */
  readonly reason: string;
  /** A failure of an audit annotation denies whatever the binding says. */
  readonly regardless?: boolean | undefined;
}

const BUDGET = 10_000_000;
const LONGEST = 5 * 1024;

/** What a policy has against a request, with one set of parameters; nothing when its conditions are not met. */
export async function denials(hook: PolicyHook<ValidatingSpec, Validations>, situation: Situation): Promise<readonly Denial[]> {
  const failed = (message: string): readonly Denial[] => (hook.failurePolicy === "Ignore" ? [] : [{ message, reason: "" }]);
  const met = await hook.conditions?.check(situation);
  if (met?.type === "unmet") return [];
  if (met?.type === "failed") return failed(aggregate(met.errors));
  return decided(situation, (decide) => {
    try {
      const about = activation(situation, hook.environment, BUDGET, decide);
      const outcomes = hook.compiled.rules.map((rule) => ({ rule, outcome: about.evaluate(rule.expression) }));
      const messages = outcomes.map(({ rule }) => rule.message && about.evaluate(rule.message));
      const found = outcomes.flatMap(({ rule, outcome }, index): readonly Denial[] => {
        if ("error" in outcome) return failed(outcome.error);
        if (outcome.value === true) return [];
        const said = messages[index];
        const text = said !== undefined && "value" in said ? said.value : undefined;
        return [{ message: messageOf(rule.declared, text), reason: rule.declared.reason ?? "Invalid" }];
      });
      const annotations = activation(situation, hook.environment, BUDGET, decide);
      const wrong = hook.compiled.annotations.flatMap((annotation) => {
        const outcome = annotations.evaluate(annotation);
        return "error" in outcome ? failed(outcome.error).map((denial) => ({ ...denial, regardless: true })) : [];
      });
      return [...found, ...wrong];
    } catch (error) {
      if (error instanceof OutOfBudget) return failed(error.message);
      throw error;
    }
  });
}

function messageOf({ message = "", expression }: Validation, said: unknown): string {
  const text = typeof said === "string" ? said.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= LONGEST) return text;
  return message.trim() || `failed expression: ${expression.trim()}`;
}
