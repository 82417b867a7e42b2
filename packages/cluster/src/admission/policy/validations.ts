import { aggregateErrors } from "../../status/index.ts";
import { BudgetExceededError, createActivation, type ExpressionInputs } from "../expressions/activation.ts";
import {
  type AdmissionExpression,
  ANNOTATION_RESULT,
  CONDITION_RESULT,
  type ExpressionEnvironment,
  MESSAGE_RESULT,
} from "../expressions/environment.ts";
import type { PolicyHook } from "./policy-hooks.ts";
import type { PolicySpec } from "./policy-spec.ts";

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

export interface CompiledValidations {
  readonly rules: readonly {
    readonly declared: Validation;
    readonly expression: AdmissionExpression;
    readonly message: AdmissionExpression | undefined;
  }[];
  readonly annotations: readonly { readonly key: string; readonly expression: AdmissionExpression }[];
}

export function compileValidations(
  { validations = [], auditAnnotations = [] }: ValidatingSpec,
  within: ExpressionEnvironment,
): CompiledValidations {
  return {
    rules: validations.map((declared) => ({
      declared,
      expression: within.compile(declared.expression, CONDITION_RESULT),
      message: declared.messageExpression ? within.compile(declared.messageExpression, MESSAGE_RESULT, { authorizer: false }) : undefined,
    })),
    annotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      expression: within.compile(valueExpression.trim(), ANNOTATION_RESULT),
    })),
  };
}

/** Result of a policy for a request and one parameter object. */
export interface PolicyEvaluation {
  readonly denials: readonly PolicyDenial[];
  /** Audit annotations. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

/** A failed validation. */
export interface PolicyDenial {
  readonly message: string;
  /** Reason of the validation; empty for an evaluation error. */
  readonly reason: string;
  /** Index of the validation; undefined for an error of an audit annotation, which denies whatever the validationActions are. */
  readonly index?: number | undefined;
}

const POLICY_COST_BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_ANNOTATION_LENGTH = 10 * 1024;
const NO_EVALUATION: PolicyEvaluation = { denials: [], annotations: [] };

/** Evaluates a policy; the result is empty if its matchConditions are not met. */
export function evaluatePolicy(hook: PolicyHook<ValidatingSpec, CompiledValidations>, inputs: ExpressionInputs): PolicyEvaluation {
  const createDenials = (message: string, index: number | undefined): readonly PolicyDenial[] =>
    hook.failurePolicy === "Ignore" ? [] : [{ message, reason: "", index }];
  const matchResult = hook.matchConditions?.evaluate(inputs);
  if (matchResult?.type === "unmet") return NO_EVALUATION;
  if (matchResult?.type === "failed") return { ...NO_EVALUATION, denials: createDenials(aggregateErrors(matchResult.errors), 0) };
  try {
    const activation = createActivation(inputs, hook.environment, POLICY_COST_BUDGET);
    const outcomes = hook.compiled.rules.map((rule) => ({ rule, outcome: activation.evaluate(rule.expression) }));
    const messages = outcomes.map(({ rule }) => rule.message && activation.evaluate(rule.message));
    const found = outcomes.flatMap(({ rule, outcome }, index): readonly PolicyDenial[] => {
      if ("error" in outcome) return createDenials(outcome.error, index);
      if (outcome.value === true) return [];
      const message = messages[index];
      const text = message !== undefined && "value" in message ? message.value : undefined;
      return [{ message: formatDenialMessage(rule.declared, text), reason: rule.declared.reason ?? "Invalid", index }];
    });
    const annotationActivation = createActivation(inputs, hook.environment, POLICY_COST_BUDGET);
    const annotations = hook.compiled.annotations.map(({ key, expression }) => ({
      key,
      outcome: annotationActivation.evaluate(expression),
    }));
    return {
      denials: [...found, ...annotations.flatMap(({ outcome }) => ("error" in outcome ? createDenials(outcome.error, undefined) : []))],
      annotations: annotations.flatMap(({ key, outcome }) => {
        const value = "value" in outcome && typeof outcome.value === "string" ? outcome.value.trim() : "";
        return value === "" ? [] : [{ key, value: value.slice(0, MAX_ANNOTATION_LENGTH) }];
      }),
    };
  } catch (error) {
    if (error instanceof BudgetExceededError) return { ...NO_EVALUATION, denials: createDenials(error.message, 0) };
    throw error;
  }
}

function formatDenialMessage({ message = "", expression }: Validation, evaluated: unknown): string {
  const text = typeof evaluated === "string" ? evaluated.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  return message.trim() || `failed expression: ${expression.trim()}`;
}
