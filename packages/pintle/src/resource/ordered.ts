/** A deep copy with all keys in alphabetical order and `undefined` left out; lists keep theirs. */
export function ordered<T>(value: T): T {
  if (Array.isArray(value)) return value.map(ordered) as T;
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, ordered(field)])) as T;
}
