import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { findFieldSchema, type StructuralSchema, someNode } from "../structural/structural-schema.ts";
import { deepEqual } from "./deep-equal.ts";

/** Returns whether the schema specifies all fields, so that identical values are also unchanged in the sense of `isUnchanged`. */
export function isFullySpecified(node: StructuralSchema): boolean {
  return !someNode(
    node,
    (at) => at.isResource || at.preservesUnknownFields || (at.allowsAdditionalProperties && at.additionalProperties === undefined),
  );
}

/**
 * Returns whether an update left a value unchanged, so that validation ratcheting applies. Lists of type map are
 * compared by key, in any order. A field without a schema cannot be correlated with its old value, so an object that
 * has one counts as changed.
 */
export function isUnchanged(node: StructuralSchema, value: Json, old: Json): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || value.length !== old.length) return false;
    const before = createOldItemLookup(node, old);
    if (before === undefined || node.items === undefined) return deepEqual(value, old);
    const items = node.items;
    return value.every((item) => {
      const was = before(item);
      return was !== undefined && isUnchanged(items, item, was);
    });
  }
  if (!isJsonObject(value)) return deepEqual(value, old);
  if (!isJsonObject(old)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const field = findFieldSchema(node, key);
    return field !== undefined && Object.hasOwn(old, key) && isUnchanged(field, value[key]!, old[key]!);
  });
}

/** Returns the old value of a field, if the old object had it. */
export function getOldField(old: Json | undefined, key: string): Json | undefined {
  return isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
}

/** Creates a lookup of the first old item with the same keys; returns undefined if the list is not of type map. */
export function createOldItemLookup(node: StructuralSchema, old: Json | undefined): ((item: Json) => Json | undefined) | undefined {
  if (node.schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return undefined;
  const keys = node.schema["x-kubernetes-list-map-keys"] ?? [];
  const byKey = new Map<string, Json>();
  for (const item of old) {
    const key = getListMapKey(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = getListMapKey(item, keys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function getListMapKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  let text = "";
  for (const key of keys) {
    const value = item[key];
    if (value === undefined || value === null || typeof value === "object") return undefined;
    text += `${typeof value} ${value}\0`;
  }
  return text;
}
