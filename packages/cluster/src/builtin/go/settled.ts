import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { type GoType, goStruct } from "./structs.ts";

/** Where a list lies that Go writes as null when it is empty; "*" steps into every item of a list. */
type ListPath = readonly string[];

/** What storage makes of an object: lists that are always written come back as null when they are empty. */
export function settledBy(struct: string): (object: JsonObject) => JsonObject {
  let paths: readonly ListPath[] | undefined;
  return (object) => {
    paths ??= listPaths({ type: "struct", name: struct }, new Set());
    let result: Json = object;
    for (const path of paths) result = withoutEmpty(result, path);
    return result as JsonObject;
  };
}

function listPaths(type: GoType, within: ReadonlySet<string>): readonly ListPath[] {
  if (type.type === "list") return listPaths(type.of, within).map((path) => ["*", ...path]);
  // Schemas contain themselves, and have no such lists.
  if (type.type !== "struct" || within.has(type.name)) return [];
  const inside = new Set([...within, type.name]);
  return [...goStruct(type.name)].flatMap(([name, field]) => {
    const below = listPaths(field.type, inside).map((path) => [name, ...path]);
    return field.zero === "write" && field.type.type === "list" ? [[name], ...below] : below;
  });
}

function withoutEmpty(value: Json, [step, ...rest]: ListPath): Json {
  if (step === undefined) return Array.isArray(value) && value.length === 0 ? null : value;
  if (step === "*") {
    if (!Array.isArray(value)) return value;
    const items = (value as readonly Json[]).map((item) => withoutEmpty(item, rest));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const child = isObject(value) ? value[step] : undefined;
  if (child === undefined || child === null) return value;
  const next = withoutEmpty(child, rest);
  return next === child ? value : { ...(value as JsonObject), [step]: next };
}
