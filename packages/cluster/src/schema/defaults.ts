import { isObject, type Json } from "pintle/kinds";
import { edit, editItems, freeze } from "./edit.ts";
import { type Structural, someNode } from "./structural.ts";

export type Defaulter = (value: Json) => Json;

/**
 * Compiles defaulting; undefined when nothing below has a default. Absent fields, and nulls where null is not allowed,
 * take the default, whose own fields are defaulted in turn. The values put in are shared and frozen.
 */
export function defaulter(node: Structural | undefined): Defaulter | undefined {
  if (node === undefined || !someNode(node, ({ default: value }) => value !== undefined)) return undefined;
  const defaults: { readonly name: string; readonly value: Json; readonly nullable: boolean }[] = [];
  const fields = new Map<string, Defaulter>();
  for (const [name, property] of node.properties) {
    const below = defaulter(property);
    if (property.default !== undefined) {
      defaults.push({ name, value: freeze(below?.(property.default) ?? property.default), nullable: property.nullable });
    }
    if (below !== undefined) fields.set(name, below);
  }
  const others = replacingNull(node.additional);
  const items = replacingNull(node.items);

  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : editItems(value, items);
    if (!isObject(value)) return value;
    let copy: ReturnType<typeof edit> | undefined;
    for (const [name, below] of fields) {
      const old = value[name];
      if (typeof old !== "object" || old === null || !Object.hasOwn(value, name)) continue;
      const next = below(old);
      if (next !== old) copy = edit(value, copy, name, next);
    }
    if (others !== undefined) {
      for (const key in value) {
        if (node.properties.has(key)) continue;
        const old = value[key]!;
        const next = others(old);
        if (next !== old) copy = edit(value, copy, key, next);
      }
    }
    for (const { name, value: preset, nullable } of defaults) {
      const old = Object.hasOwn(value, name) ? value[name] : undefined;
      if (old === undefined || (old === null && !nullable)) copy = edit(value, copy, name, preset);
    }
    return (copy as Json | undefined) ?? value;
  };
}

/** For items and values of maps: they are never absent, but a null may have to become the default. */
function replacingNull(node: Structural | undefined): Defaulter | undefined {
  const below = defaulter(node);
  if (node === undefined || below === undefined) return undefined;
  const preset = node.default === undefined ? null : freeze(below(node.default));
  return (value) => (value === null ? (node.nullable ? null : preset) : below(value));
}
