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
  readonly annotations: readonly { readonly key: string; readonly expression: Expression }[];
}

export function compileValidations({ validations = [], auditAnnotations = [] }: ValidatingSpec, within: Environment): Validations {
  return {
    rules: validations.map((declared) => ({
      declared,
      expression: within.compile(declared.expression, CONDITION),
      message: declared.messageExpression ? within.compile(declared.messageExpression, MESSAGE, { authorizer: false }) : undefined,
    })),
    annotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      expression: within.compile(valueExpression.trim(), ANNOTATION),
    })),
  };
}

/** What a policy has to say to a request, with one set of parameters. */
export interface Judgement {
  readonly denials: readonly Denial[];
  /** For those who look at requests later. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

/** Why a policy denies a request. */
export interface Denial {
  readonly message: string;
  /** Empty where it is not the policy's word but a failure. */
  readonly reason: string;
  /** Which of its rules; undefined for a failure of an annotation, which denies whatever the binding says. */
  readonly index?: number | undefined;
}

const BUDGET = 10_000_000;
const LONGEST = 5 * 1024;
const LONGEST_ANNOTATION = 10 * 1024;
const NOTHING: Judgement = { denials: [], annotations: [] };

/** Nothing when the policy's conditions are not met. */
export async function judgement(hook: PolicyHook<ValidatingSpec, Validations>, situation: Situation): Promise<Judgement> {
  const failed = (message: string, index: number | undefined): readonly Denial[] =>
    hook.failurePolicy === "Ignore" ? [] : [{ message, reason: "", index }];
  const met = await hook.conditions?.check(situation);
  if (met?.type === "unmet") return NOTHING;
  if (met?.type === "failed") return { ...NOTHING, denials: failed(aggregate(met.errors), 0) };
  return decided(situation, (decide) => {
    try {
      const about = activation(situation, hook.environment, BUDGET, decide);
      const outcomes = hook.compiled.rules.map((rule) => ({ rule, outcome: about.evaluate(rule.expression) }));
      const messages = outcomes.map(({ rule }) => rule.message && about.evaluate(rule.message));
      const found = outcomes.flatMap(({ rule, outcome }, index): readonly Denial[] => {
        if ("error" in outcome) return failed(outcome.error, index);
        if (outcome.value === true) return [];
        const said = messages[index];
        const text = said !== undefined && "value" in said ? said.value : undefined;
        return [{ message: messageOf(rule.declared, text), reason: rule.declared.reason ?? "Invalid", index }];
      });
      const noting = activation(situation, hook.environment, BUDGET, decide);
      const notes = hook.compiled.annotations.map(({ key, expression }) => ({ key, outcome: noting.evaluate(expression) }));
      return {
        denials: [...found, ...notes.flatMap(({ outcome }) => ("error" in outcome ? failed(outcome.error, undefined) : []))],
        annotations: notes.flatMap(({ key, outcome }) => {
          const value = "value" in outcome && typeof outcome.value === "string" ? outcome.value.trim() : "";
          return value === "" ? [] : [{ key, value: value.slice(0, LONGEST_ANNOTATION) }];
        }),
      };
    } catch (error) {
      if (error instanceof OutOfBudget) return { ...NOTHING, denials: failed(error.message, 0) };
      throw error;
    }
  });
}

function messageOf({ message = "", expression }: Validation, said: unknown): string {
  const text = typeof said === "string" ? said.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= LONGEST) return text;
  return message.trim() || `failed expression: ${expression.trim()}`;
}
