import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject, Shape } from "../../kinds/index.ts";
import { isJsonEqual } from "../json-equal.ts";

/** Finds the item of a list map that has the keys of `item`. Looks at `likelyIndex` first. */
export function findItemByKeys(item: Json, likelyIndex: number, items: readonly Json[], shape: Shape): Json | undefined {
  if (!isJsonObject(item)) return undefined;
  const guess = items[likelyIndex];
  if (guess !== undefined && hasSameKeys(item, guess, shape)) return guess;
  return items.find((other) => hasSameKeys(item, other, shape));
}

function hasSameKeys(a: JsonObject, b: Json, shape: Shape): boolean {
  if (!isJsonObject(b)) return false;
  for (const key of shape.keys ?? []) {
    const fallback = shape.keyDefaults?.[key];
    if (!isJsonEqual(a[key] ?? fallback, b[key] ?? fallback)) return false;
  }
  return true;
}
