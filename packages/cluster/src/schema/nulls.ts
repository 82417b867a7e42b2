import { isObject, type Json } from "pintle/kinds";
import { edit, editItems } from "./edit.ts";
import type { Structural } from "./structural.ts";

export type NullDropper = (value: Json) => Json;

/**
 * Drops null fields that may not be null and have no default to take their place. Items of lists stay: dropping one
 * would move the others.
 */
export function nullDropper(node: Structural | undefined): NullDropper {
  if (node === undefined) return (value) => value;
  const fields = new Map<string, Field>();
  for (const [name, property] of node.properties) fields.set(name, field(property));
  const others = node.additional === undefined ? undefined : field(node.additional);
  const items = node.items === undefined ? undefined : nullDropper(node.items);

  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : editItems(value, items);
    if (!isObject(value)) return value;
    let copy: ReturnType<typeof edit> | undefined;
    for (const key in value) {
      const known = fields.get(key) ?? others;
      if (known === undefined) continue;
      const old = value[key]!;
      if (old === null) {
        if (known.drops) copy = edit(value, copy, key, undefined);
      } else if (typeof old === "object") {
        const next = known.below(old);
        if (next !== old) copy = edit(value, copy, key, next);
      }
    }
    return (copy as Json | undefined) ?? value;
  };
}

interface Field {
  readonly drops: boolean;
  readonly below: NullDropper;
}

function field(node: Structural): Field {
  return { drops: !node.nullable && node.default === undefined, below: nullDropper(node) };
}
