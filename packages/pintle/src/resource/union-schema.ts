import type * as z from "zod";
import { discriminatedSchema } from "./discriminated-schema.ts";
import { enumeration } from "./enumeration.ts";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, defOf, type Node, only, unchecked } from "./node.ts";

type UnionDef = z.core.$ZodUnionDef & { readonly discriminator?: string };

export function unionSchema(node: Node<UnionDef>): Draft {
  unchecked(node);
  const types = node.def.options.map((option) => defOf(option).type);
  if (node.def.discriminator !== undefined) return discriminatedSchema(node, node.def.discriminator);
  if (node.def.inclusive === false) throw notStructural(node.path, "an exclusive union", "write z.union([...])");
  if (types.length === 2 && types.includes("number") && types.includes("string")) return intOrString(node);
  if (types.every((type) => type === "literal" || type === "enum")) return values(node);
  const advice = "write z.discriminatedUnion(...), or an object with optional fields and exactlyOneOf(...)";
  throw notStructural(node.path, "a union", advice);
}

function values({ def, path, walk }: Node<UnionDef>): Draft {
  const all = def.options.flatMap((option) => only(walk(option, path), ["type", "enum", "description"], path).enum ?? []);
  return enumeration([...new Set(all)], path);
}

const INTEGER = ["type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "description"];
const STRING = ["type", "minLength", "maxLength", "pattern", "allOf", "description"];

/** Bounds concern only the integer, lengths and patterns only the string, so both can stand side by side. */
function intOrString({ def, path, walk }: Node<UnionDef>): Draft {
  const sides = def.options.map((option) => walk(option, path));
  const { type: _, ...text } = only(sides.find((side) => side.type === "string")!, STRING, path);
  const number = sides.find((side) => side.type === "integer");
  if (number === undefined) throw notStructural(path, "a union of a float and a string", "write intOrString() or quantity()");
  const { type: __, format, ...bounds } = only(number, INTEGER, path);
  // Here a format would be about the string as well.
  const range = format === "int32" ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
  return { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], ...range, ...bounds, ...text };
}
