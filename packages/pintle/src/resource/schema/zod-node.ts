import type * as z from "zod";
import type { StructuralSchema } from "../custom-resource-definition.ts";
import { type AnyZodType, attributesOf, type FieldAttributes, isAttributeCheck } from "../fields/index.ts";
import { notStructuralError } from "../invalid-resource.ts";

/** The definition of a Zod schema (`_zod.def`). */
export type ZodDef = z.core.$ZodTypes["_zod"]["def"];
/** The definition of a Zod check (`_zod.def` of `.min()`, `.regex()`, ...). */
export type ZodCheck = z.core.$ZodChecks["_zod"]["def"];
/** A structural schema that is being built. */
export type MutableSchema = { -readonly [K in keyof StructuralSchema]: StructuralSchema[K] };

/** A Zod schema that is being converted to a structural schema, and its path. */
export interface ZodNode<D = ZodDef> {
  readonly def: D;
  /** Zod's checks, without those that hold attributes. */
  readonly checks: readonly ZodCheck[];
  readonly attributes: FieldAttributes;
  readonly path: string;
  /** Converts the schema of a field, item or value of this one. */
  convertPart(part: AnyZodType, path: string): StructuralSchema;
}

/** Returns the definition of a Zod schema. */
export function defOf(schema: AnyZodType): ZodDef {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** Reads definition, checks and attributes of a Zod schema. */
export function readZodNode(schema: AnyZodType, path: string, convertPart: ZodNode["convertPart"]): ZodNode {
  const def = defOf(schema);
  const checks = (def.checks ?? []).map((one) => one._zod.def as ZodCheck).filter((check) => !isAttributeCheck(check));
  return { def, checks, attributes: attributesOf(schema), path, convertPart };
}

/** Throws if the schema has checks. For types whose checks have no keyword. */
export function rejectChecks({ checks, path }: ZodNode<unknown>): void {
  for (const check of checks) throw unsupportedCheckError(check, path);
}

/** Returns the error for a check that no schema keyword expresses. */
export function unsupportedCheckError(check: { readonly check: string }, path: string): Error {
  if (check.check === "custom") return notStructuralError(path, "refine()", 'use celRule(schema, "<CEL>")');
  if (check.check === "overwrite")
    return notStructuralError(path, "a change of the value (trim, toLowerCase, ...)", "store the value as the client sends it");
  return notStructuralError(path, `the check ${check.check}`, 'use celRule(schema, "<CEL>")');
}

/** Throws unless a part of a union has only these keywords; others would be lost when the parts are merged. */
export function assertKeywords(part: StructuralSchema, keywords: readonly string[], path: string): StructuralSchema {
  const more = Object.keys(part).find((keyword) => !keywords.includes(keyword));
  if (more === undefined) return part;
  throw notStructuralError(path, `${more} on one part of a union`, "move it to the whole union");
}

/** Returns a length if it is a non-negative integer, the only form that the API server decodes. */
export function checkLength(value: number, path: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw notStructuralError(path, `a length of ${value}`, "use an integer of 0 or more");
}

/** Applies minimum, maximum and exact lengths, the strictest of each, to `out`. Returns the remaining checks. */
export function applyLengthChecks(node: ZodNode<unknown>, noun: "Items" | "Length", out: MutableSchema): ZodCheck[] {
  return node.checks.filter((check) => {
    const bounds = lengthBounds(check);
    if (bounds === undefined) return true;
    const { min, max } = bounds;
    if (min !== undefined) out[`min${noun}`] = Math.max(out[`min${noun}`] ?? 0, checkLength(min, node.path));
    if (max !== undefined) out[`max${noun}`] = Math.min(out[`max${noun}`] ?? Number.MAX_SAFE_INTEGER, checkLength(max, node.path));
    return false;
  });
}

function lengthBounds(check: ZodCheck): { min?: number; max?: number } | undefined {
  if (check.check === "min_length") return { min: check.minimum };
  if (check.check === "max_length") return { max: check.maximum };
  if (check.check === "length_equals") return { min: check.length, max: check.length };
  return undefined;
}

/** Whether a field may be omitted. Reads `def` alone, because `_zod.optin` and `_zod.bag` changed their meaning between Zod 4 minors. */
export function isOmittable(schema: AnyZodType): boolean {
  const def = defOf(schema);
  if (def.type === "optional" || def.type === "default" || def.type === "prefault") return true;
  return (def.type === "readonly" || def.type === "nullable") && isOmittable(def.innerType);
}
