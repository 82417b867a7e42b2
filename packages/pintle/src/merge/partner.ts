import { isObject, type Json, type JsonObject, type Shape } from "../kinds/index.ts";
import { equal } from "./equal.ts";

/** The item of a keyed list that is the same as this one, by its keys. Looked for first where it most likely stands. */
export function partner(item: Json, near: number, items: readonly Json[], shape: Shape): Json | undefined {
  if (!isObject(item)) return undefined;
  const guess = items[near];
  if (guess !== undefined && isSame(item, guess, shape)) return guess;
  return items.find((other) => isSame(item, other, shape));
}

function isSame(a: JsonObject, b: Json, shape: Shape): boolean {
  if (!isObject(b)) return false;
  for (const key of shape.keys ?? []) {
    const fallback = shape.keyDefaults?.[key];
    if (!equal(a[key] ?? fallback, b[key] ?? fallback)) return false;
  }
  return true;
}
