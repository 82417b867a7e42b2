import { isObject, type Json } from "pintle/kinds";

/** Null fields say "remove"; in what is new there is nothing to remove. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item as Json));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field!)]));
}
