import { encodeGoJson } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import { type StructuralSchema, someNode } from "../structural/structural-schema.ts";

export type ListTypeCheck = (value: Json, path: string, errors: FieldError[]) => void;

/** Compiles the uniqueness check of x-kubernetes-list-type set and map; returns undefined if the schema has no such list. */
export function compileListTypeCheck(node: StructuralSchema | undefined): ListTypeCheck | undefined {
  if (node === undefined || !someNode(node, requiresUniqueItems)) return undefined;
  const properties = new Map<string, ListTypeCheck>();
  for (const [name, property] of node.properties) {
    const check = compileListTypeCheck(property);
    if (check !== undefined) properties.set(name, check);
  }
  const others = compileListTypeCheck(node.additionalProperties);
  const items = compileListTypeCheck(node.items);
  const own = compileUniquenessCheck(node);

  return (value, path, errors) => {
    if (Array.isArray(value)) {
      own?.(value, path, errors);
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i]!, `${path}[${i}]`, errors);
    } else if (isJsonObject(value)) {
      for (const key in value) {
        others?.(value[key]!, `${path}[${key}]`, errors);
        properties.get(key)?.(value[key]!, path === "" ? key : `${path}.${key}`, errors);
      }
    }
  };
}

function requiresUniqueItems({ schema }: StructuralSchema): boolean {
  return schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-list-type"] === "map";
}

type UniquenessCheck = (items: readonly Json[], path: string, errors: FieldError[]) => void;

function compileUniquenessCheck({ schema }: StructuralSchema): UniquenessCheck | undefined {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") {
    return (items, path, errors) => {
      for (const i of findDuplicates(items)) errors.push(fieldError.duplicate(`${path}[${i}]`, items[i]));
    };
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (type !== "map") return undefined;
  return (items, path, errors) => {
    const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
    if (wrong >= 0) {
      errors.push(fieldError.invalid(`${path}[${wrong}]`, items[wrong], "must be an object for an array of list-type map"));
      return;
    }
    const keyed = items.map((item) => getListMapKey(item as JsonObject | null, keys));
    for (const i of findDuplicates(keyed)) errors.push(fieldError.duplicate(`${path}[${i}]`, keyed[i]));
  };
}

function getListMapKey(item: JsonObject | null, keys: readonly string[]): JsonObject {
  const key: Record<string, Json> = {};
  for (const name of keys) if (item !== null && Object.hasOwn(item, name)) key[name] = item[name]!;
  return key;
}

/** Returns the index of the second occurrence of each duplicate; later occurrences are not reported. */
function findDuplicates(items: readonly Json[]): number[] {
  if (items.length < 2) return [];
  const times = new Map<string, number>();
  const again: number[] = [];
  for (const [i, item] of items.entries()) {
    const text = encodeGoJson(item);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    if (count === 2) again.push(i);
  }
  return again;
}
