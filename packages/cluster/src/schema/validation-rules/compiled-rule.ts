import {
  type CompiledExpression,
  CompileError,
  compileExpression,
  isBool,
  isString,
  optionalOf,
  ProgramError,
  type Type,
} from "../cel/index.ts";
import type { JsonSchema, ValidationRule } from "../json-schema.ts";
import { resolveFieldPath } from "../structural/field-path.ts";
import { type DeclaredType, MAX_REQUEST_BYTES } from "./declared-type.ts";

/** A compiled rule of x-kubernetes-validations. */
export interface CompiledRule {
  readonly declared: ValidationRule;
  /** Missing if the rule is empty or did not compile. */
  readonly program?: CompiledExpression | undefined;
  /** Why the rule did not compile. */
  readonly compileError?: string | undefined;
  /** True if the rule refers to oldSelf. */
  readonly isTransition: boolean;
  readonly maxCost: number;
  readonly messageProgram?: CompiledExpression | undefined;
  readonly messageCompileError?: string | undefined;
  readonly messageMaxCost: number;
  /** Path of the reported field, relative to the value of the rule. */
  readonly errorPath: string;
}

/** Returns how many values of a type fit into one request. */
export function getMaxCardinality(declared: DeclaredType): number {
  return Math.floor(MAX_REQUEST_BYTES / (declared.minSize + 1));
}

export function compileRules(schema: JsonSchema, declared: DeclaredType): CompiledRule[] {
  return (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, schema, declared));
}

function compileRule(rule: ValidationRule, schema: JsonSchema, declared: DeclaredType): CompiledRule {
  const emptyRule = { declared: rule, isTransition: false, maxCost: 0, messageMaxCost: 0, errorPath: resolveErrorPath(rule, schema) };
  if (rule.rule.trim() === "") return emptyRule;
  const variables = { self: declared.type, oldSelf: rule.optionalOldSelf === true ? optionalOf(declared.type) : declared.type };
  const compiled = tryCompile(rule.rule, variables, "compilation failed: ", "program instantiation failed: ");
  if (typeof compiled === "string") return { ...emptyRule, compileError: compiled };
  if (!isBool(compiled.type)) return { ...emptyRule, compileError: "cel expression must evaluate to a bool" };
  const sizes = (path: readonly string[]) => getSizeAt(declared, path);
  const compiledRule = {
    ...emptyRule,
    program: compiled,
    isTransition: compiled.references.has("oldSelf"),
    maxCost: compiled.estimate(sizes).max,
  };
  if ((rule.messageExpression ?? "") === "") return compiledRule;
  const messageProgram = tryCompile(
    rule.messageExpression!,
    variables,
    "messageExpression compilation failed: ",
    "messageExpression instantiation failed: ",
  );
  if (typeof messageProgram === "string") return { ...compiledRule, messageCompileError: messageProgram };
  if (!isString(messageProgram.type)) return { ...compiledRule, messageCompileError: "messageExpression must evaluate to a string" };
  return { ...compiledRule, messageProgram, messageMaxCost: messageProgram.estimate(sizes).max };
}

function tryCompile(
  source: string,
  variables: Readonly<Record<string, Type>>,
  prefix: string,
  unusable: string,
): CompiledExpression | string {
  try {
    return compileExpression(source, variables);
  } catch (error) {
    if (error instanceof ProgramError) return unusable + error.message;
    if (error instanceof CompileError) return prefix + error.message;
    throw error;
  }
}

function resolveErrorPath(rule: ValidationRule, schema: JsonSchema): string {
  if ((rule.fieldPath ?? "") === "") return "";
  try {
    return resolveFieldPath(rule.fieldPath!, schema).text;
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** Returns the size range at a path whose first element is the variable: self and oldSelf have the same type. */
function getSizeAt(declared: DeclaredType, path: readonly string[]): { min: number; max: number } | undefined {
  let at: DeclaredType | undefined = declared;
  for (const step of path.slice(1)) {
    at = step === "@items" || step === "@values" ? at.items : step === "@keys" ? at.key : at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.maxElements };
}
