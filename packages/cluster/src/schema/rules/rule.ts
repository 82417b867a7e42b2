import { type Compiled, CompileError, compile, isBool, isString, optionalOf, type Type, UnusableError } from "../cel/index.ts";
import { fieldPath } from "../crd/field-path.ts";
import type { JsonSchema, ValidationRule } from "../json-schema.ts";
import { type DeclaredType, MAX_REQUEST_BYTES } from "./declared-type.ts";

/** A rule of x-kubernetes-validations, ready to run. */
export interface Rule {
  readonly declared: ValidationRule;
  /** Absent when the rule is empty or did not compile. */
  readonly program?: Compiled | undefined;
  /** Why it did not compile. */
  readonly problem?: string | undefined;
  /** It speaks of oldSelf, so it is about changes. */
  readonly isTransition: boolean;
  readonly maxCost: number;
  readonly message?: Compiled | undefined;
  readonly messageProblem?: string | undefined;
  readonly messageMaxCost: number;
  /** Where its errors are reported, below the value it is about. */
  readonly at: string;
}

/** How often data of a type can be in one request. */
export function maxCardinality(declared: DeclaredType): number {
  return Math.floor(MAX_REQUEST_BYTES / (declared.minSize + 1));
}

export function compileRules(schema: JsonSchema, declared: DeclaredType): Rule[] {
  return (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, schema, declared));
}

function compileRule(rule: ValidationRule, schema: JsonSchema, declared: DeclaredType): Rule {
  const none = { declared: rule, isTransition: false, maxCost: 0, messageMaxCost: 0, at: placeOf(rule, schema) };
  if (rule.rule.trim() === "") return none;
  const variables = { self: declared.type, oldSelf: rule.optionalOldSelf === true ? optionalOf(declared.type) : declared.type };
  const compiled = attempt(rule.rule, variables, "compilation failed: ", "program instantiation failed: ");
  if (typeof compiled === "string") return { ...none, problem: compiled };
  if (!isBool(compiled.type)) return { ...none, problem: "cel expression must evaluate to a bool" };
  const sizes = (path: readonly string[]) => sizeAt(declared, path);
  const made = { ...none, program: compiled, isTransition: compiled.references.has("oldSelf"), maxCost: compiled.estimate(sizes).max };
  if ((rule.messageExpression ?? "") === "") return made;
  const message = attempt(
    rule.messageExpression!,
    variables,
    "messageExpression compilation failed: ",
    "messageExpression instantiation failed: ",
  );
  if (typeof message === "string") return { ...made, messageProblem: message };
  if (!isString(message.type)) return { ...made, messageProblem: "messageExpression must evaluate to a string" };
  return { ...made, message, messageMaxCost: message.estimate(sizes).max };
}

function attempt(source: string, variables: Readonly<Record<string, Type>>, prefix: string, unusable: string): Compiled | string {
  try {
    return compile(source, variables);
  } catch (error) {
    if (error instanceof UnusableError) return unusable + error.message;
    if (error instanceof CompileError) return prefix + error.message;
    throw error;
  }
}

function placeOf(rule: ValidationRule, schema: JsonSchema): string {
  if ((rule.fieldPath ?? "") === "") return "";
  try {
    return fieldPath(rule.fieldPath!, schema).text;
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** The first step is the variable, self or oldSelf: both are the same type. */
function sizeAt(declared: DeclaredType, path: readonly string[]): { min: number; max: number } | undefined {
  let at: DeclaredType | undefined = declared;
  for (const step of path.slice(1)) {
    at = step === "@items" || step === "@values" ? at.items : step === "@keys" ? at.key : at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.maxElements };
}
