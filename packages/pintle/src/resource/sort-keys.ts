import { copyBuiltInMark } from "./built-in-schemas.ts";

/** Returns a deep copy with keys in alphabetical order and without `undefined` fields. Lists keep their order. */
export function sortKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  const copy = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, sortKeys(field)]));
  copyBuiltInMark(value, copy);
  return copy as T;
}
