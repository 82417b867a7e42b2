import type * as z from "zod";
import type { StructuralSchema } from "../custom-resource-definition.ts";
import { notStructuralError } from "../invalid-resource.ts";
import { defOf, isOmittable, type MutableSchema, rejectChecks, type ZodNode } from "./zod-node.ts";

/** Fields of every embedded object, which the API server validates without a schema. */
const IDENTITY_FIELDS = ["apiVersion", "kind", "metadata"];

/** Returns the schema of `z.object()` and `z.looseObject()`. */
export function buildObjectSchema(node: ZodNode<z.core.$ZodObjectDef>): MutableSchema {
  const { def, attributes, path } = node;
  rejectChecks(node);
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(def.shape)) {
    if (attributes.embedded && IDENTITY_FIELDS.includes(name)) continue;
    properties[name] = node.convertPart(field, `${path}.${name}`);
    if (!isOmittable(field)) required.push(name);
  }
  return {
    type: "object",
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: required.sort() } : {}),
    ...(preservesUnknownFields(def, path) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(attributes.embedded ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

function preservesUnknownFields(def: z.core.$ZodObjectDef, path: string): boolean {
  if (def.catchall === undefined) return false;
  const rest = defOf(def.catchall).type;
  if (rest === "unknown" || rest === "any") return true;
  if (rest === "never") {
    throw notStructuralError(path, "a strict object", "use z.object(...): the API server drops unknown fields, and kubectl rejects them");
  }
  throw notStructuralError(path, "fixed fields beside a catchall", "move the others into a field of their own: z.record(z.string(), ...)");
}
