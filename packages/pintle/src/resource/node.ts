import type * as z from "zod";
import type { StructuralSchema } from "./custom-resource-definition.ts";
import { type Any, type Facts, factsOf, isMark } from "./facts.ts";
import { notStructural } from "./invalid-resource.ts";

export type Def = z.core.$ZodTypes["_zod"]["def"];
export type Check = z.core.$ZodChecks["_zod"]["def"];
export type Draft = { -readonly [K in keyof StructuralSchema]: StructuralSchema[K] };

/** One Zod schema on the way to a structural one, and where it stands. */
export interface Node<D = Def> {
  readonly def: D;
  /** Zod's own checks, without our marks. */
  readonly checks: readonly Check[];
  readonly facts: Facts;
  readonly path: string;
  /** The schema of a part of this one. */
  walk(part: Any, path: string): StructuralSchema;
}

export function defOf(schema: Any): Def {
  return (schema as z.core.$ZodTypes)._zod.def;
}

export function node(schema: Any, path: string, walk: Node["walk"]): Node {
  const def = defOf(schema);
  const checks = (def.checks ?? []).map((one) => one._zod.def as Check).filter((check) => !isMark(check));
  return { def, checks, facts: factsOf(schema), path, walk };
}

/** For types that no check can narrow. */
export function unchecked({ checks, path }: Node<unknown>): void {
  for (const check of checks) throw refused(check, path);
}

/** A check without a keyword of its own. */
export function refused(check: { readonly check: string }, path: string): Error {
  if (check.check === "custom") return notStructural(path, "refine()", 'write rule(schema, "<CEL>")');
  if (check.check === "overwrite")
    return notStructural(path, "a change of the value (trim, toLowerCase, ...)", "accept it as it is written");
  return notStructural(path, `the check ${check.check}`, 'write rule(schema, "<CEL>")');
}

/** For parts whose schemas are merged: what does not take part in it would be lost. */
export function only(part: StructuralSchema, keywords: readonly string[], path: string): StructuralSchema {
  const more = Object.keys(part).find((keyword) => !keywords.includes(keyword));
  if (more === undefined) return part;
  throw notStructural(path, `${more} on one part of a union`, "say it about the whole union");
}

/** Counts reach the server as 64-bit integers; anything else is not even decoded. */
export function count(value: number, path: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw notStructural(path, `a length of ${value}`, "write a whole number, 0 or more");
}

/** min, max and exact lengths; the strictest of several wins. Returns the checks that are about something else. */
export function lengths(node: Node<unknown>, noun: "Items" | "Length", out: Draft): Check[] {
  return node.checks.filter((check) => {
    const bounds = boundsOf(check);
    if (bounds === undefined) return true;
    const { min, max } = bounds;
    if (min !== undefined) out[`min${noun}`] = Math.max(out[`min${noun}`] ?? 0, count(min, node.path));
    if (max !== undefined) out[`max${noun}`] = Math.min(out[`max${noun}`] ?? Number.MAX_SAFE_INTEGER, count(max, node.path));
    return false;
  });
}

function boundsOf(check: Check): { min?: number; max?: number } | undefined {
  if (check.check === "min_length") return { min: check.minimum };
  if (check.check === "max_length") return { max: check.maximum };
  if (check.check === "length_equals") return { min: check.length, max: check.length };
  return undefined;
}
