import {
  CONDITION_RESULT,
  createExpressionEnvironment,
  type ExpectedResultTypes,
  type ExpressionCompileOptions,
  type ExpressionEnvironment,
} from "../../../admission/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { type FieldErrors, validateQualifiedNameField } from "../../validation/validators.ts";

/** Validates that a CEL expression compiles to the required type. */
export function* validateExpression(
  field: string,
  source: string,
  resultType: ExpectedResultTypes,
  environment: ExpressionEnvironment,
  options?: ExpressionCompileOptions,
): FieldErrors {
  const { compileError } = environment.compile(source, resultType, options);
  if (compileError !== undefined) yield fieldError.invalid(field, source, compileError);
}

type UnvalidatedMatchConditions = readonly Unvalidated<{ readonly name: string; readonly expression: string }>[] | null | undefined;

const MAX_MATCH_CONDITIONS = 64;

/** Validates matchConditions, which cannot use the variables of a policy. */
export function* validateMatchConditions(field: string, all: UnvalidatedMatchConditions, hasParams = false): FieldErrors {
  const names = new Set<string>();
  if ((all?.length ?? 0) > MAX_MATCH_CONDITIONS) yield fieldError.tooMany(field, all!.length, MAX_MATCH_CONDITIONS);
  for (const [i, { name, expression }] of (all ?? []).entries()) {
    const source = expression?.trim() ?? "";
    if (source === "") yield fieldError.required(`${field}[${i}].expression`);
    else yield* validateExpression(`${field}[${i}].expression`, source, CONDITION_RESULT, createExpressionEnvironment({ hasParams }));
    if (!name) yield fieldError.required(`${field}[${i}].name`);
    else yield* validateQualifiedNameField(`${field}[${i}].name`, name);
    if (name && names.has(name)) yield fieldError.duplicate(`${field}[${i}].name`, name);
    names.add(name ?? "");
  }
}
