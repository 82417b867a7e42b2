import type * as z from "zod";
import { notStructuralError } from "../invalid-resource.ts";
import { buildDiscriminatedUnionSchema } from "./discriminated-union-schema.ts";
import { buildEnumSchema } from "./enum-schema.ts";
import { assertKeywords, defOf, type MutableSchema, rejectChecks, type ZodNode } from "./zod-node.ts";

type UnionDef = z.core.$ZodUnionDef & { readonly discriminator?: string };

/** Returns the schema of `z.union()`: a discriminated union, an int-or-string or an enum. */
export function buildUnionSchema(node: ZodNode<UnionDef>): MutableSchema {
  rejectChecks(node);
  const types = node.def.options.map((option) => defOf(option).type);
  if (node.def.discriminator !== undefined) return buildDiscriminatedUnionSchema(node, node.def.discriminator);
  if (node.def.inclusive === false) throw notStructuralError(node.path, "an exclusive union", "use z.union([...])");
  if (types.length === 2 && types.includes("number") && types.includes("string")) return buildIntOrStringSchema(node);
  if (types.every((type) => type === "literal" || type === "enum")) return buildEnumUnionSchema(node);
  const advice = "use z.discriminatedUnion(...), or an object with optional fields and exactlyOneOf(...)";
  throw notStructuralError(node.path, "a union", advice);
}

function buildEnumUnionSchema({ def, path, convertPart }: ZodNode<UnionDef>): MutableSchema {
  const all = def.options.flatMap((option) => assertKeywords(convertPart(option, path), ["type", "enum", "description"], path).enum ?? []);
  return buildEnumSchema([...new Set(all)], path);
}

const INTEGER_KEYWORDS = ["type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "description"];
const STRING_KEYWORDS = ["type", "minLength", "maxLength", "pattern", "allOf", "description"];

/** Bounds apply to integers only, lengths and patterns to strings only, so both fit into one schema. */
function buildIntOrStringSchema({ def, path, convertPart }: ZodNode<UnionDef>): MutableSchema {
  const sides = def.options.map((option) => convertPart(option, path));
  const { type: _, ...text } = assertKeywords(sides.find((side) => side.type === "string")!, STRING_KEYWORDS, path);
  const number = sides.find((side) => side.type === "integer");
  if (number === undefined) throw notStructuralError(path, "a union of a float and a string", "use intOrString() or quantity()");
  const { type: __, format, ...bounds } = assertKeywords(number, INTEGER_KEYWORDS, path);
  // A format would apply to the string too.
  const range = format === "int32" ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
  return { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], ...range, ...bounds, ...text };
}
