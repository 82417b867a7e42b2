import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";

/** Returns the object without the fields at these paths. */
export function omitPaths(object: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  return paths.reduce<JsonObject>((left, path) => omitPath(left, path), object);
}

function omitPath(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const inner = object[name];
  if (inner === undefined) return object;
  if (rest.length > 0) return isJsonObject(inner) ? { ...object, [name]: omitPath(inner, rest) } : object;
  const { [name]: _, ...others } = object;
  return others;
}
