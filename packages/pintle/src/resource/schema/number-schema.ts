import type * as z from "zod";
import { notStructuralError } from "../invalid-resource.ts";
import { type MutableSchema, unsupportedCheckError, type ZodNode } from "./zod-node.ts";

const NUMBER_FORMATS: Record<z.core.$ZodNumberFormats, MutableSchema> = {
  int32: { type: "integer", format: "int32" },
  safeint: { type: "integer", format: "int64" },
  uint32: { type: "integer", format: "int64", minimum: 0, maximum: 0xffff_ffff },
  float32: { type: "number", format: "float" },
  float64: { type: "number", format: "double" },
};
/** The largest bounds per format. The API server decodes bounds into the type of the value, so larger bounds would reject every value. */
const MAX_BOUND: Record<string, number> = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER, float: 2 ** 62, double: 2 ** 62 };

/** Returns the schema of `z.int()`, `z.int32()`, `z.float64()`, ... */
export function buildNumberSchema({
  def,
  checks,
  path,
}: ZodNode<z.core.$ZodNumberDef & { readonly format?: z.core.$ZodNumberFormats }>): MutableSchema {
  if (def.coerce) throw notStructuralError(path, "coercion", "store the number as the client sends it");
  const formats = checks.flatMap((check) => (check.check === "number_format" ? [check.format] : []));
  const format = formats.at(-1) ?? def.format;
  if (format === undefined)
    throw notStructuralError(path, "z.number()", "choose a number format: z.int32(), z.int() (int64) or z.float64()");
  const out = { ...NUMBER_FORMATS[format] };
  for (const check of checks) {
    if (check.check === "number_format") continue;
    if (check.check === "greater_than") applyMinimum(out, Number(check.value), check.inclusive, path);
    else if (check.check === "less_than") applyMaximum(out, Number(check.value), check.inclusive, path);
    else if (check.check === "multiple_of") applyMultipleOf(out, Number(check.value), path);
    else throw unsupportedCheckError(check, path);
  }
  return out;
}

function applyMinimum(out: MutableSchema, value: number, inclusive: boolean, path: string): void {
  checkBound(out, value, inclusive === value < 0, inclusive ? ">=" : ">", path);
  if (out.minimum !== undefined && (out.minimum > value || (out.minimum === value && inclusive))) return;
  out.minimum = value;
  if (inclusive) delete out.exclusiveMinimum;
  else out.exclusiveMinimum = true;
}

function applyMaximum(out: MutableSchema, value: number, inclusive: boolean, path: string): void {
  checkBound(out, value, inclusive === value > 0, inclusive ? "<=" : "<", path);
  if (out.maximum !== undefined && (out.maximum < value || (out.maximum === value && inclusive))) return;
  out.maximum = value;
  if (inclusive) delete out.exclusiveMaximum;
  else out.exclusiveMaximum = true;
}

/**
 * Throws for a bound that the API server would not enforce. It truncates a fractional bound before it compares an integer with it;
 * `isTruncationSafe` checks that this does not change the result.
 */
function checkBound({ type, format }: MutableSchema, value: number, isTruncationSafe: boolean, sign: string, path: string): void {
  if (!(Math.abs(value) <= MAX_BOUND[format!]!)) {
    throw notStructuralError(path, `the bound ${value} for ${format}`, "remove it, or use a bound within the range of the type");
  }
  if (Number.isInteger(value) || (type === "number" && isTruncationSafe)) return;
  if (type === "integer") throw notStructuralError(path, `the bound ${value} for ${format}`, "use an integer");
  throw notStructuralError(
    path,
    `the bound ${value}, which the API server truncates for integers,`,
    `use celRule(schema, "self ${sign} ${value}")`,
  );
}

function applyMultipleOf(out: MutableSchema, value: number, path: string): void {
  if (out.multipleOf !== undefined) throw notStructuralError(path, "two multipleOf", "use their least common multiple");
  if (!(value > 0 && value <= MAX_BOUND[out.format!]!)) throw notStructuralError(path, `a multiple of ${value}`, "use a number above 0");
  if (!Number.isInteger(value)) throw notStructuralError(path, `a multiple of ${value}`, "use a smaller unit, with z.int()");
  out.multipleOf = value;
}
