import type * as z from "zod";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, type Node, refused } from "./node.ts";

const FORMATS: Record<z.core.$ZodNumberFormats, Draft> = {
  int32: { type: "integer", format: "int32" },
  safeint: { type: "integer", format: "int64" },
  uint32: { type: "integer", format: "int64", minimum: 0, maximum: 0xffff_ffff },
  float32: { type: "number", format: "float" },
  float64: { type: "number", format: "double" },
};
/** Bounds beyond these refuse every value, as the server reads them into the type of the value. */
const FURTHEST: Record<string, number> = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER, float: 2 ** 62, double: 2 ** 62 };

export function numberSchema({ def, checks, path }: Node<z.core.$ZodNumberDef & { readonly format?: z.core.$ZodNumberFormats }>): Draft {
  if (def.coerce) throw notStructural(path, "coercion", "accept the number as it is written");
  const formats = checks.flatMap((check) => (check.check === "number_format" ? [check.format] : []));
  const format = formats.at(-1) ?? def.format;
  if (format === undefined) throw notStructural(path, "z.number()", "say which number it is: z.int32(), z.int() (int64) or z.float64()");
  const out = { ...FORMATS[format] };
  for (const check of checks) {
    if (check.check === "number_format") continue;
    if (check.check === "greater_than") atLeast(out, Number(check.value), check.inclusive, path);
    else if (check.check === "less_than") atMost(out, Number(check.value), check.inclusive, path);
    else if (check.check === "multiple_of") multipleOf(out, Number(check.value), path);
    else throw refused(check, path);
  }
  return out;
}

function atLeast(out: Draft, value: number, inclusive: boolean, path: string): void {
  bound(out, value, inclusive === value < 0, inclusive ? ">=" : ">", path);
  if (out.minimum !== undefined && (out.minimum > value || (out.minimum === value && inclusive))) return;
  out.minimum = value;
  if (inclusive) delete out.exclusiveMinimum;
  else out.exclusiveMinimum = true;
}

function atMost(out: Draft, value: number, inclusive: boolean, path: string): void {
  bound(out, value, inclusive === value > 0, inclusive ? "<=" : "<", path);
  if (out.maximum !== undefined && (out.maximum < value || (out.maximum === value && inclusive))) return;
  out.maximum = value;
  if (inclusive) delete out.exclusiveMaximum;
  else out.exclusiveMaximum = true;
}

/** A server cuts the fraction off a bound before it compares a whole number with it; `survives` says that this changes nothing. */
function bound({ type, format }: Draft, value: number, survives: boolean, sign: string, path: string): void {
  if (!(Math.abs(value) <= FURTHEST[format!]!)) {
    throw notStructural(path, `the bound ${value} for ${format}`, "leave it out, or write one that the type can reach");
  }
  if (Number.isInteger(value) || (type === "number" && survives)) return;
  if (type === "integer") throw notStructural(path, `the bound ${value} for ${format}`, "write a whole number");
  throw notStructural(path, `the bound ${value}, which whole numbers would pass wrongly,`, `write rule(schema, "self ${sign} ${value}")`);
}

function multipleOf(out: Draft, value: number, path: string): void {
  if (out.multipleOf !== undefined) throw notStructural(path, "two multipleOf", "write their least common multiple");
  if (!(value > 0 && value <= FURTHEST[out.format!]!)) throw notStructural(path, `a multiple of ${value}`, "write a number above 0");
  if (!Number.isInteger(value)) throw notStructural(path, `a multiple of ${value}`, "count in a smaller unit, with z.int()");
  out.multipleOf = value;
}
