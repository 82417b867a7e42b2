import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";

/** Same JSON outside the given top-level fields. */
export function equalExcept(a: JsonObject, b: JsonObject, fields: readonly string[]): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) if (!fields.includes(key) && !equal(a[key], b[key])) return false;
  return true;
}
