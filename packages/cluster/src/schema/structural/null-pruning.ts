import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { mapItems, setField } from "./copy-on-write.ts";
import type { StructuralSchema } from "./structural-schema.ts";

export type NullPruner = (value: Json) => Json;

/**
 * Compiles the removal of null fields that are not nullable and have no default. List items stay, because removing one
 * would shift the others.
 */
export function compileNullPruner(node: StructuralSchema | undefined): NullPruner {
  if (node === undefined) return (value) => value;
  const fields = new Map<string, NullPrunerField>();
  for (const [name, property] of node.properties) fields.set(name, compileField(property));
  const others = node.additionalProperties === undefined ? undefined : compileField(node.additionalProperties);
  const items = node.items === undefined ? undefined : compileNullPruner(node.items);

  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : mapItems(value, items);
    if (!isJsonObject(value)) return value;
    let copy: ReturnType<typeof setField> | undefined;
    for (const key in value) {
      const known = fields.get(key) ?? others;
      if (known === undefined) continue;
      const old = value[key]!;
      if (old === null) {
        if (known.dropsNull) copy = setField(value, copy, key, undefined);
      } else if (typeof old === "object") {
        const next = known.pruneNulls(old);
        if (next !== old) copy = setField(value, copy, key, next);
      }
    }
    return (copy as Json | undefined) ?? value;
  };
}

interface NullPrunerField {
  readonly dropsNull: boolean;
  readonly pruneNulls: NullPruner;
}

function compileField(node: StructuralSchema): NullPrunerField {
  return { dropsNull: !node.nullable && node.default === undefined, pruneNulls: compileNullPruner(node) };
}
