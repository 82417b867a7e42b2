import type * as z from "zod";
import { notStructuralError } from "../invalid-resource.ts";
import { applyLengthChecks, defOf, isOmittable, type MutableSchema, unsupportedCheckError, type ZodNode } from "./zod-node.ts";

/** Returns the schema of `z.array()`. */
export function buildListSchema(node: ZodNode<z.core.$ZodArrayDef>): MutableSchema {
  const { def, attributes, path } = node;
  const out: MutableSchema = { type: "array" };
  for (const check of applyLengthChecks(node, "Items", out)) throw unsupportedCheckError(check, path);
  rejectOmittable(def.element, `${path}[]`, "an item");
  out.items = node.convertPart(def.element, `${path}[]`);
  if (attributes.list !== undefined) out["x-kubernetes-list-type"] = attributes.list.type;
  else if (attributes.atomic) out["x-kubernetes-list-type"] = "atomic";
  if (attributes.list?.type === "map") out["x-kubernetes-list-map-keys"] = attributes.list.keys;
  return out;
}

/** Returns the schema of `z.record()`. */
export function buildMapSchema({ def, checks, path, convertPart }: ZodNode<z.core.$ZodRecordDef>): MutableSchema {
  for (const check of checks) throw unsupportedCheckError(check, path);
  const key = defOf(def.keyType);
  if (key.type !== "string") throw notStructuralError(path, "a record with fixed keys", "use z.object({...}).partial()");
  if ((key.checks?.length ?? 0) > 0 || "format" in key) {
    throw notStructuralError(path, "a condition on the keys of a record", 'use celRule(schema, "self.all(key, ...)")');
  }
  if (def.mode === "loose") throw notStructuralError(path, "a loose record", "use z.record(z.string(), ...)");
  rejectOmittable(def.valueType, `${path}[*]`, "a value");
  return { type: "object", additionalProperties: convertPart(def.valueType, `${path}[*]`) };
}

/** JSON has no undefined, so an item or value cannot be omitted. */
function rejectOmittable(part: z.core.$ZodType, path: string, what: string): void {
  if (isOmittable(part))
    throw notStructuralError(path, `${what} that is optional or has a default`, "remove .optional() or .default() here");
}
