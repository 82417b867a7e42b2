import type * as z from "zod";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, defOf, lengths, type Node, refused } from "./node.ts";
import { omittable } from "./omittable.ts";

export function listSchema(node: Node<z.core.$ZodArrayDef>): Draft {
  const { def, facts, path } = node;
  const out: Draft = { type: "array" };
  for (const check of lengths(node, "Items", out)) throw refused(check, path);
  always(def.element, `${path}[]`, "an item");
  out.items = node.walk(def.element, `${path}[]`);
  if (facts.list !== undefined) out["x-kubernetes-list-type"] = facts.list.type;
  else if (facts.atomic) out["x-kubernetes-list-type"] = "atomic";
  if (facts.list?.type === "map") out["x-kubernetes-list-map-keys"] = facts.list.keys;
  return out;
}

export function mapSchema({ def, checks, path, walk }: Node<z.core.$ZodRecordDef>): Draft {
  for (const check of checks) throw refused(check, path);
  const key = defOf(def.keyType);
  if (key.type !== "string") throw notStructural(path, "a record with fixed keys", "write z.object({...}).partial()");
  if ((key.checks?.length ?? 0) > 0 || "format" in key) {
    throw notStructural(path, "a condition on the keys of a record", 'write rule(schema, "self.all(key, ...)")');
  }
  if (def.mode === "loose") throw notStructural(path, "a loose record", "write z.record(z.string(), ...)");
  always(def.valueType, `${path}[*]`, "a value");
  return { type: "object", additionalProperties: walk(def.valueType, `${path}[*]`) };
}

/** JSON has no undefined, so an item is there or the list is shorter. */
function always(part: z.core.$ZodType, path: string, what: string): void {
  if (omittable(part)) throw notStructural(path, `${what} that is optional or has a default`, "leave .optional() or .default() out here");
}
