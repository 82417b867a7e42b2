import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { deepFreeze, mapItems, setField } from "./copy-on-write.ts";
import { type StructuralSchema, someNode } from "./structural-schema.ts";

export type Defaulter = (value: Json) => Json;

/**
 * Compiles defaulting; returns undefined if the schema has no defaults. Missing fields, and nulls that are not allowed,
 * take the default, whose own fields are defaulted in turn. The inserted values are shared and frozen.
 */
export function compileDefaulter(node: StructuralSchema | undefined): Defaulter | undefined {
  if (node === undefined || !someNode(node, ({ default: value }) => value !== undefined)) return undefined;
  const defaults: { readonly name: string; readonly value: Json; readonly nullable: boolean }[] = [];
  const fields = new Map<string, Defaulter>();
  for (const [name, property] of node.properties) {
    const below = compileDefaulter(property);
    if (property.default !== undefined) {
      defaults.push({ name, value: deepFreeze(below?.(property.default) ?? property.default), nullable: property.nullable });
    }
    if (below !== undefined) fields.set(name, below);
  }
  const others = compileNullReplacer(node.additionalProperties);
  const items = compileNullReplacer(node.items);

  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : mapItems(value, items);
    if (!isJsonObject(value)) return value;
    let copy: ReturnType<typeof setField> | undefined;
    for (const [name, below] of fields) {
      const old = value[name];
      if (typeof old !== "object" || old === null || !Object.hasOwn(value, name)) continue;
      const next = below(old);
      if (next !== old) copy = setField(value, copy, name, next);
    }
    if (others !== undefined) {
      for (const key in value) {
        if (node.properties.has(key)) continue;
        const old = value[key]!;
        const next = others(old);
        if (next !== old) copy = setField(value, copy, key, next);
      }
    }
    for (const { name, value: preset, nullable } of defaults) {
      const old = Object.hasOwn(value, name) ? value[name] : undefined;
      if (old === undefined || (old === null && !nullable)) copy = setField(value, copy, name, preset);
    }
    return (copy as Json | undefined) ?? value;
  };
}

/** Compiles defaulting of list items and map values, where only a null is replaced by the default. */
function compileNullReplacer(node: StructuralSchema | undefined): Defaulter | undefined {
  const below = compileDefaulter(node);
  if (node === undefined || below === undefined) return undefined;
  const preset = node.default === undefined ? null : deepFreeze(below(node.default));
  return (value) => (value === null ? (node.nullable ? null : preset) : below(value));
}
