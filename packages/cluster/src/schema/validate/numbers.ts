import type { JsonSchema } from "../json-schema.ts";
import { type Findings, limitText, problem } from "./problem.ts";

export type NumberCheck = (value: number | bigint, path: string, found: Findings) => void;

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** The server keeps whole numbers that fit as int64 and all others as float64; the two are checked differently. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === "bigint") return value >= minInt64 && value <= maxInt64;
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** Compiles range, minimum, maximum and multipleOf; undefined when a number always passes. */
export function numberCheck(schema: JsonSchema, types: readonly string[], format: string): NumberCheck | undefined {
  const { minimum, maximum, multipleOf } = schema;
  const range = rangeCheck(types.length === 1 ? types[0]! : "", format);
  if (range === undefined && minimum === undefined && maximum === undefined && multipleOf === undefined) return undefined;
  return (value, path, found) => {
    range?.(value, "Checked", path, found);
    if (multipleOf !== undefined) checkMultiple(value, multipleOf, range, path, found);
    if (minimum !== undefined) {
      const limit = boundary(value, minimum, "Minimum boundary", range, path, found);
      if (schema.exclusiveMinimum ? value <= limit : value < limit) {
        const how = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
        found.problems.push(problem.invalid(path, value, `should be ${how} ${limitText(limit)}`));
      }
    }
    if (maximum !== undefined) {
      const limit = boundary(value, maximum, "Maximum boundary", range, path, found);
      if (schema.exclusiveMaximum ? value >= limit : value > limit) {
        const how = schema.exclusiveMaximum ? "less than" : "less than or equal to";
        found.problems.push(problem.invalid(path, value, `should be ${how} ${limitText(limit)}`));
      }
    }
  };
}

type RangeCheck = (value: number | bigint, what: string, path: string, found: Findings) => boolean;

/** Does a number fit the declared type and format at all? */
function rangeCheck(type: string, format: string): RangeCheck | undefined {
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
    found.problems.push(problem.general(`${what} value must be of type ${type} ${kind} in ${path}`));
    return false;
  };
}

/** A limit that does not fit the type is reported with every number; against an int64, one that fits loses its fraction. */
function boundary(
  value: number | bigint,
  limit: number,
  what: string,
  range: RangeCheck | undefined,
  path: string,
  found: Findings,
): number {
  const fits = range?.(limit, what, path, found) ?? true;
  return fits && isInt64(value) ? Math.trunc(limit) : limit;
}

function checkMultiple(value: number | bigint, of: number, range: RangeCheck | undefined, path: string, found: Findings): void {
  const factor = boundary(value, of, "MultipleOf", range, path, found);
  if (factor <= 0) {
    found.problems.push(problem.said(path, factor, `factor MultipleOf declared for ${path} must be positive: ${limitText(factor)}`));
    return;
  }
  const whole = typeof value === "bigint" ? value % BigInt(Math.trunc(factor)) === 0n : isWhole(quotient(value, factor));
  if (!whole) found.problems.push(problem.invalid(path, value, `should be a multiple of ${limitText(factor)}`));
}

function quotient(value: number, factor: number): number {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value / factor;
  return factor < 1 ? (1 / factor) * value : value / factor;
}

/** Whole, but for what floating point division leaves over. */
export function isWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole <= 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + whole) < 1e-9;
}
