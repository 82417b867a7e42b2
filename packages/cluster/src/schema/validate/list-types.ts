import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, goJson } from "../../status/index.ts";
import { type Structural, someNode } from "../structural.ts";

export type ListTypeCheck = (value: Json, path: string, errors: FieldError[]) => void;

/** Compiles the uniqueness that x-kubernetes-list-type set and map ask for; undefined when there is no such list. */
export function listTypeCheck(node: Structural | undefined): ListTypeCheck | undefined {
  if (node === undefined || !someNode(node, isKeyed)) return undefined;
  const properties = new Map<string, ListTypeCheck>();
  for (const [name, property] of node.properties) {
    const check = listTypeCheck(property);
    if (check !== undefined) properties.set(name, check);
  }
  const others = listTypeCheck(node.additional);
  const items = listTypeCheck(node.items);
  const own = ownCheck(node);

  return (value, path, errors) => {
    if (Array.isArray(value)) {
      own?.(value, path, errors);
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i]!, `${path}[${i}]`, errors);
    } else if (isObject(value)) {
      for (const key in value) {
        others?.(value[key]!, `${path}[${key}]`, errors);
        properties.get(key)?.(value[key]!, path === "" ? key : `${path}.${key}`, errors);
      }
    }
  };
}

function isKeyed({ schema }: Structural): boolean {
  return schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-list-type"] === "map";
}

type OwnCheck = (items: readonly Json[], path: string, errors: FieldError[]) => void;

function ownCheck({ schema }: Structural): OwnCheck | undefined {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") {
    return (items, path, errors) => {
      for (const i of repeated(items)) errors.push(fieldError.duplicate(`${path}[${i}]`, items[i]));
    };
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (type !== "map") return undefined;
  return (items, path, errors) => {
    const wrong = items.findIndex((item) => item !== null && !isObject(item));
    if (wrong >= 0) {
      errors.push(fieldError.invalid(`${path}[${wrong}]`, items[wrong], "must be an object for an array of list-type map"));
      return;
    }
    const keyed = items.map((item) => keyOf(item as JsonObject | null, keys));
    for (const i of repeated(keyed)) errors.push(fieldError.duplicate(`${path}[${i}]`, keyed[i]));
  };
}

function keyOf(item: JsonObject | null, keys: readonly string[]): JsonObject {
  const key: Record<string, Json> = {};
  for (const name of keys) if (item !== null && Object.hasOwn(item, name)) key[name] = item[name]!;
  return key;
}

/** Where a value stands for the second time; third and later times are not reported. */
function repeated(items: readonly Json[]): number[] {
  if (items.length < 2) return [];
  const times = new Map<string, number>();
  const again: number[] = [];
  for (const [i, item] of items.entries()) {
    const text = goJson(item);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    if (count === 2) again.push(i);
  }
  return again;
}
