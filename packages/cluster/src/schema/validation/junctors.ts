import { quoteGoString } from "pintle/internal/go-format";
import type { Json } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";
import { createValidationResult, type ValidationResult, violation } from "./validation-result.ts";
import type { SchemaValidator } from "./validator.ts";

export type JunctorCheck = (value: Json, path: string, found: ValidationResult) => void;

/**
 * Compiles anyOf, oneOf, allOf and not; returns undefined if there are none. Validation ratcheting does not apply
 * inside of them.
 */
export function compileJunctorCheck(schema: JsonSchema, compile: (branch: JsonSchema) => SchemaValidator): JunctorCheck | undefined {
  const anyOf = (schema.anyOf ?? []).map(compile);
  const oneOf = (schema.oneOf ?? []).map(compile);
  const allOf = (schema.allOf ?? []).map(compile);
  const not = schema.not === undefined ? undefined : compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;
  return (value, path, found) => {
    if (anyOf.length > 0) checkAnyOf(anyOf, value, path, found);
    if (oneOf.length > 0) checkOneOf(oneOf, value, path, found);
    if (allOf.length > 0) checkAllOf(allOf, value, path, found);
    if (not !== undefined && isValid(runBranch(not, value, path, found))) {
      found.violations.push(violation.withoutField(`${quoteGoString(path)} must not validate the schema (not)`));
    }
  };
}

function checkAnyOf(branches: readonly SchemaValidator[], value: Json, path: string, found: ValidationResult): void {
  let best: ValidationResult | undefined;
  for (const branch of branches) {
    const result = runBranch(branch, value, path, found);
    if (isValid(result)) {
      found.matchCount += result.matchCount;
      return;
    }
    if (best === undefined || result.matchCount > best.matchCount) best = result;
  }
  found.violations.push(violation.withoutField(`${quoteGoString(path)} must validate at least one schema (anyOf)`));
  mergeResults(found, best!);
}

function checkOneOf(branches: readonly SchemaValidator[], value: Json, path: string, found: ValidationResult): void {
  let best: ValidationResult | undefined;
  let first: ValidationResult | undefined;
  let count = 0;
  for (const branch of branches) {
    const result = runBranch(branch, value, path, found);
    if (isValid(result)) {
      count++;
      first ??= result;
    } else if (count === 0 && (best === undefined || result.matchCount > best.matchCount)) {
      best = result;
    }
  }
  if (count === 1) {
    found.matchCount += first!.matchCount;
    return;
  }
  const seen = count === 0 ? "Found none valid" : `Found ${count} valid alternatives`;
  found.violations.push(violation.withoutField(`${quoteGoString(path)} must validate one and only one schema (oneOf). ${seen}`));
  if (count === 0) mergeResults(found, best!);
}

function checkAllOf(branches: readonly SchemaValidator[], value: Json, path: string, found: ValidationResult): void {
  let count = 0;
  for (const branch of branches) {
    const result = runBranch(branch, value, path, found);
    if (isValid(result)) count++;
    mergeResults(found, result);
  }
  if (count === branches.length) return;
  const none = count === 0 ? ". None validated" : "";
  found.violations.push(violation.withoutField(`${quoteGoString(path)} must validate all the schemas (allOf)${none}`));
}

function runBranch(branch: SchemaValidator, value: Json, path: string, { matchBudget }: ValidationResult): ValidationResult {
  const result = createValidationResult(matchBudget);
  branch(value, path, result, undefined);
  return result;
}

function isValid(result: ValidationResult): boolean {
  return result.violations.length === 0;
}

function mergeResults(found: ValidationResult, other: ValidationResult): void {
  found.violations.push(...other.violations);
  found.matchCount += other.matchCount;
}
