import type { JsonSchema } from "../json-schema.ts";
import { formatLimit, type ValidationResult, violation } from "./validation-result.ts";

export type NumberCheck = (value: number | bigint, path: string, found: ValidationResult) => void;

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** Returns whether kube-apiserver holds the number as int64 instead of float64, which are validated differently. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === "bigint") return value >= minInt64 && value <= maxInt64;
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** Compiles range, minimum, maximum and multipleOf; returns undefined if every number is valid. */
export function compileNumberCheck(schema: JsonSchema, types: readonly string[], format: string): NumberCheck | undefined {
  const { minimum, maximum, multipleOf } = schema;
  const range = compileRangeCheck(types.length === 1 ? types[0]! : "", format);
  if (range === undefined && minimum === undefined && maximum === undefined && multipleOf === undefined) return undefined;
  return (value, path, found) => {
    range?.(value, "Checked", path, found);
    if (multipleOf !== undefined) checkMultipleOf(value, multipleOf, range, path, found);
    if (minimum !== undefined) {
      const limit = getEffectiveLimit(value, minimum, "Minimum boundary", range, path, found);
      if (schema.exclusiveMinimum ? value <= limit : value < limit) {
        const how = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
        found.violations.push(violation.invalid(path, value, `should be ${how} ${formatLimit(limit)}`));
      }
    }
    if (maximum !== undefined) {
      const limit = getEffectiveLimit(value, maximum, "Maximum boundary", range, path, found);
      if (schema.exclusiveMaximum ? value >= limit : value > limit) {
        const how = schema.exclusiveMaximum ? "less than" : "less than or equal to";
        found.violations.push(violation.invalid(path, value, `should be ${how} ${formatLimit(limit)}`));
      }
    }
  };
}

type RangeCheck = (value: number | bigint, what: string, path: string, found: ValidationResult) => boolean;

/** Compiles the check that a number fits the declared type and format. */
function compileRangeCheck(type: string, format: string): RangeCheck | undefined {
  const fits =
    type === "integer"
      ? format === "int32"
        ? (value: number | bigint) => isInt64(value) && value >= -(2 ** 31) && value < 2 ** 31
        : isInt64
      : type === "number" && format === "float"
        ? (value: number | bigint) => Number.isFinite(Math.fround(Number(value)))
        : undefined;
  if (fits === undefined) return undefined;
  const kind = format === "" ? "(default format)" : `with format ${format}`;
  return (value, what, path, found) => {
    if (fits(value)) return true;
    found.violations.push(violation.withoutField(`${what} value must be of type ${type} ${kind} in ${path}`));
    return false;
  };
}

/**
 * Returns the limit to compare with. A limit outside the declared type is reported; for an int64 value, the fraction of
 * the limit is dropped.
 */
function getEffectiveLimit(
  value: number | bigint,
  limit: number,
  what: string,
  range: RangeCheck | undefined,
  path: string,
  found: ValidationResult,
): number {
  const fits = range?.(limit, what, path, found) ?? true;
  return fits && isInt64(value) ? Math.trunc(limit) : limit;
}

function checkMultipleOf(value: number | bigint, of: number, range: RangeCheck | undefined, path: string, found: ValidationResult): void {
  const factor = getEffectiveLimit(value, of, "MultipleOf", range, path, found);
  if (factor <= 0) {
    found.violations.push(
      violation.withMessage(path, factor, `factor MultipleOf declared for ${path} must be positive: ${formatLimit(factor)}`),
    );
    return;
  }
  const whole = typeof value === "bigint" ? value % BigInt(Math.trunc(factor)) === 0n : isWholeNumber(divide(value, factor));
  if (!whole) found.violations.push(violation.invalid(path, value, `should be a multiple of ${formatLimit(factor)}`));
}

function divide(value: number, factor: number): number {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value / factor;
  return factor < 1 ? (1 / factor) * value : value / factor;
}

/** Returns whether a number is whole, apart from floating-point rounding. */
export function isWholeNumber(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole <= 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + whole) < 1e-9;
}
