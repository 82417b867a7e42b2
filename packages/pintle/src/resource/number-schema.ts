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

export function numberSchema({ def, checks, path }: Node<z.core.$ZodNumberDef & { readonly format?: z.core.$ZodNumberFormats }>): Draft {
  if (def.coerce) throw notStructural(path, "coercion", "accept the number as it is written");
  const formats = checks.flatMap((check) => (check.check === "number_format" ? [check.format] : []));
  const format = formats.at(-1) ?? def.format;
  if (format === undefined) throw notStructural(path, "z.number()", "say which number it is: z.int32(), z.int() (int64) or z.float64()");
  const out = { ...FORMATS[format] };
  for (const check of checks) {
    if (check.check === "number_format") continue;
    if (check.check === "greater_than") atLeast(out, finite(check.value, path), check.inclusive);
    else if (check.check === "less_than") atMost(out, finite(check.value, path), check.inclusive);
    else if (check.check === "multiple_of") out.multipleOf = multiple(out.multipleOf, finite(check.value, path), path);
    else throw refused(check, path);
  }
  return out;
}

function finite(value: unknown, path: string): number {
  if (Number.isFinite(value)) return value as number;
  throw notStructural(path, `the bound ${String(value)}`, "write a finite number, or leave the bound out");
}

function atLeast(out: Draft, value: number, inclusive: boolean): void {
  if (out.minimum !== undefined && (out.minimum > value || (out.minimum === value && inclusive))) return;
  out.minimum = value;
  if (inclusive) delete out.exclusiveMinimum;
  else out.exclusiveMinimum = true;
}

function atMost(out: Draft, value: number, inclusive: boolean): void {
  if (out.maximum !== undefined && (out.maximum < value || (out.maximum === value && inclusive))) return;
  out.maximum = value;
  if (inclusive) delete out.exclusiveMaximum;
  else out.exclusiveMaximum = true;
}

function multiple(before: number | undefined, value: number, path: string): number {
  if (before !== undefined) throw notStructural(path, "two multipleOf", "write their least common multiple");
  if (value <= 0) throw notStructural(path, `a multiple of ${value}`, "write a number above 0");
  return value;
}
