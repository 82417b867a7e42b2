import type * as z from "zod";
import type { StructuralSchema } from "./custom-resource-definition.ts";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, defOf, type Node, unchecked } from "./node.ts";
import { omittable } from "./omittable.ts";

/** The server knows these of every embedded object, and checks them itself. */
const IDENTITY = ["apiVersion", "kind", "metadata"];

export function objectSchema(node: Node<z.core.$ZodObjectDef>): Draft {
  const { def, facts, path } = node;
  unchecked(node);
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(def.shape)) {
    if (facts.embedded && IDENTITY.includes(name)) continue;
    properties[name] = node.walk(field, `${path}.${name}`);
    if (!omittable(field)) required.push(name);
  }
  return {
    type: "object",
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: required.sort() } : {}),
    ...(isOpen(def, path) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(facts.embedded ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

function isOpen(def: z.core.$ZodObjectDef, path: string): boolean {
  if (def.catchall === undefined) return false;
  const rest = defOf(def.catchall).type;
  if (rest === "unknown" || rest === "any") return true;
  if (rest === "never") {
    throw notStructural(path, "a strict object", "write z.object(...): the server drops fields it does not know, and kubectl refuses them");
  }
  throw notStructural(path, "fixed fields beside a catchall", "put the others into a field of their own: z.record(z.string(), ...)");
}
