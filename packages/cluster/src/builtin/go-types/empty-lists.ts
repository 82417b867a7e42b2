import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { type GoType, getGoStruct } from "./go-structs.ts";

/** Path of a list that Go encodes as null when it is empty; "*" stands for every item of a list. */
type ListPath = readonly string[];

/** Creates a function that replaces empty lists without omitempty by null, as an object reads after it was stored. */
export function createEmptyListNormalizer(struct: string): (object: JsonObject) => JsonObject {
  let paths: readonly ListPath[] | undefined;
  return (object) => {
    paths ??= findListPaths({ type: "struct", name: struct }, new Set());
    let result: Json = object;
    for (const path of paths) result = replaceEmptyList(result, path);
    return result as JsonObject;
  };
}

function findListPaths(type: GoType, within: ReadonlySet<string>): readonly ListPath[] {
  if (type.type === "list") return findListPaths(type.of, within).map((path) => ["*", ...path]);
  // Recursive structs (JSON schemas) have no such lists.
  if (type.type !== "struct" || within.has(type.name)) return [];
  const inside = new Set([...within, type.name]);
  return [...getGoStruct(type.name)].flatMap(([name, field]) => {
    const below = findListPaths(field.type, inside).map((path) => [name, ...path]);
    return field.zero === "write" && field.type.type === "list" ? [[name], ...below] : below;
  });
}

function replaceEmptyList(value: Json, [step, ...rest]: ListPath): Json {
  if (step === undefined) return Array.isArray(value) && value.length === 0 ? null : value;
  if (step === "*") {
    if (!Array.isArray(value)) return value;
    const items = (value as readonly Json[]).map((item) => replaceEmptyList(item, rest));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const child = isJsonObject(value) ? value[step] : undefined;
  if (child === undefined || child === null) return value;
  const next = replaceEmptyList(child, rest);
  return next === child ? value : { ...(value as JsonObject), [step]: next };
}
