import { encodeGoJson, formatGoNumber, quoteGoString } from "pintle/internal/go-format";
import type { Json } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { MatchBudget } from "../re2/index.ts";

/** A violation of a schema, with the text of kube-apiserver's OpenAPI validator. */
export interface SchemaViolation {
  /** Path relative to the validated value: "spec.list[0].name"; undefined if the violation names no field. */
  readonly path?: string | undefined;
  /** The complete message; violations with the same message are reported once. */
  readonly message: string;
  readonly toFieldError: (field: string) => FieldError;
}

/** The result of validating one value. */
export interface ValidationResult {
  readonly violations: SchemaViolation[];
  /** Number of checks that applied and passed: selects the branch of anyOf or oneOf whose violations are reported. */
  matchCount: number;
  /** The work that patterns may do. */
  readonly matchBudget: MatchBudget;
}

export function createValidationResult(matchBudget: MatchBudget): ValidationResult {
  return { violations: [], matchCount: 0, matchBudget };
}

/** Converts violations of the value at `field` to field errors; kube-apiserver writes an empty path as "<nil>". */
export function toFieldErrors(problems: readonly SchemaViolation[], field = "<nil>"): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const { path, message, toFieldError } of problems) {
    if (seen.has(message)) continue;
    seen.add(message);
    errors.push(toFieldError(joinFieldName(path, field)));
  }
  return errors;
}

function joinFieldName(name: string | undefined, field: string): string {
  if (name === undefined || name === "" || name === ".") return field;
  const below = name.startsWith(".") ? name.slice(1) : name;
  return field === "<nil>" ? below : `${field}.${below}`;
}

export const violation = {
  invalidType: (path: string, type: string, found: string): SchemaViolation => {
    const message = formatMessage(path, `must be of type ${type}: ${quoteGoString(found)}`);
    return { path, message, toFieldError: (field) => fieldError.typeInvalid(field, found, message) };
  },
  required: (path: string): SchemaViolation => ({
    path,
    message: formatMessage(path, "is required"),
    toFieldError: (field) => fieldError.required(field),
  }),
  notInEnum: (path: string, value: Json, values: readonly Json[]): SchemaViolation => ({
    path,
    message: formatMessage(path, `should be one of ${encodeGoJson(values)}`),
    toFieldError: (field) =>
      fieldError.notSupported(
        field,
        value,
        values.map((one) => (typeof one === "string" ? one : encodeGoJson(one))),
      ),
  }),
  tooLong: (path: string, max: number): SchemaViolation => ({
    path,
    message: formatMessage(path, `should be at most ${max} chars long`),
    toFieldError: (field) => fieldError.tooLong(field, max),
  }),
  tooManyItems: (path: string, size: number, max: number): SchemaViolation => ({
    path,
    message: formatMessage(path, `should have at most ${max} items`),
    toFieldError: (field) => fieldError.tooMany(field, size, max),
  }),
  tooManyProperties: (path: string, size: number, max: number): SchemaViolation => ({
    path,
    message: formatMessage(path, `should have at most ${max} properties`),
    toFieldError: (field) => fieldError.tooMany(field, size, max),
  }),
  /** A generic violation: `spec.size: Invalid value: 0: spec.size in body should be ...`. */
  invalid: (path: string, value: Json, detail: string): SchemaViolation => {
    const message = formatMessage(path, detail);
    return { path, message, toFieldError: (field) => fieldError.invalid(field, value, message) };
  },
  /** A violation with a complete message of its own. */
  withMessage: (path: string, value: Json, message: string): SchemaViolation => ({
    path,
    message,
    toFieldError: (field) => fieldError.invalid(field, value, message),
  }),
  /** A violation that kube-apiserver reports without a field. */
  withoutField: (message: string): SchemaViolation => ({ message, toFieldError: (field) => fieldError.invalid(field, "", message) }),
};

function formatMessage(name: string, detail: string): string {
  return `${name} in body ${detail}`;
}

export function formatLimit(limit: number): string {
  return formatGoNumber(limit);
}
