import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";

/** Whether two objects are equal outside the given top-level fields. */
export function equalExcept(a: JsonObject, b: JsonObject, fields: readonly string[]): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) if (!fields.includes(key) && !isJsonEqual(a[key], b[key])) return false;
  return true;
}
