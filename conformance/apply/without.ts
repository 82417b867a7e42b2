import { isObject, type JsonObject } from "pintle/kinds";

/** Without the fields at these paths, which are lists of names. */
export function without(object: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  return paths.reduce<JsonObject>((left, path) => cut(left, path), object);
}

function cut(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const inner = object[name];
  if (inner === undefined) return object;
  if (rest.length > 0) return isObject(inner) ? { ...object, [name]: cut(inner, rest) } : object;
  const { [name]: _, ...others } = object;
  return others;
}
