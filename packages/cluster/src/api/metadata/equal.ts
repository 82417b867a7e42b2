import { isObject, type JsonObject } from "pintle/kinds";

/** Same JSON. Order of fields does not matter, and a field that is undefined is not there. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  let fields = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    fields++;
    if (b[key] === undefined || !equal(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) fields--;
  return fields === 0;
}

/** Same JSON outside the given top-level fields. */
export function equalExcept(a: JsonObject, b: JsonObject, fields: readonly string[]): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) if (!fields.includes(key) && !equal(a[key], b[key])) return false;
  return true;
}
