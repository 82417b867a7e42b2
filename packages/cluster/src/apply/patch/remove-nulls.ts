import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";

/** Removes null fields from a new value: null means "remove", and there is nothing to remove. */
export function removeNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => removeNulls(item as Json));
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([key, field]) => [key, removeNulls(field!)]));
}
