import { isObject, type Json } from "pintle/kinds";
import { fieldOf, type Structural, someNode } from "../structural.ts";
import { deepEqual } from "./equal.ts";

/** Everything in it is known to the schema, so the same value is also an unchanged one: see `unchanged`. */
export function isClosed(node: Structural): boolean {
  return !someNode(node, (at) => at.embedded || at.preserve || (at.open && at.additional === undefined));
}

/**
 * Is a value what it was before the update, so that old errors in it may be let pass? Lists keyed by fields are
 * compared by key, in any order. A field the schema does not know can never be matched with its old value: an object
 * that has one counts as changed.
 */
export function unchanged(node: Structural, value: Json, old: Json): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || value.length !== old.length) return false;
    const before = oldItems(node, old);
    if (before === undefined || node.items === undefined) return deepEqual(value, old);
    const items = node.items;
    return value.every((item) => {
      const was = before(item);
      return was !== undefined && unchanged(items, item, was);
    });
  }
  if (!isObject(value)) return deepEqual(value, old);
  if (!isObject(old)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const field = fieldOf(node, key);
    return field !== undefined && Object.hasOwn(old, key) && unchanged(field, value[key]!, old[key]!);
  });
}

/** What a field was, if the old object had it. */
export function oldField(old: Json | undefined, key: string): Json | undefined {
  return isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
}

/** Finds the first old item with the same keys; undefined when items of this list cannot be told apart. */
export function oldItems(node: Structural, old: Json | undefined): ((item: Json) => Json | undefined) | undefined {
  if (node.schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return undefined;
  const keys = node.schema["x-kubernetes-list-map-keys"] ?? [];
  const byKey = new Map<string, Json>();
  for (const item of old) {
    const key = keyOf(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function keyOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let text = "";
  for (const key of keys) {
    const value = item[key];
    if (value === undefined || value === null || typeof value === "object") return undefined;
    text += `${typeof value} ${value}\0`;
  }
  return text;
}
