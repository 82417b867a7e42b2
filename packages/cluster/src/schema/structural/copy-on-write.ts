import { setOwnProperty } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

type MutableCopy = Record<string, Json | undefined>;

/**
 * Sets a field on a copy of `original`, or removes it if the value is undefined. The copy is made on the first change
 * and returned; the caller passes it to the next call.
 */
export function setField(original: JsonObject, copy: MutableCopy | undefined, key: string, value: Json | undefined): MutableCopy {
  const target = copy ?? { ...original };
  if (value === undefined) delete target[key];
  else setOwnProperty<Json | undefined>(target, key, value);
  return target;
}

/** Maps the items of a list; returns the same list if no item changes. */
export function mapItems(items: readonly Json[], change: (item: Json, index: number) => Json): readonly Json[] {
  let copy: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    const next = change(item, i);
    if (next === item) continue;
    copy ??= items.slice();
    copy[i] = next;
  }
  return copy ?? items;
}

/** Freezes a JSON value deeply. */
export function deepFreeze<T extends Json | undefined>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child as Json);
  }
  return value;
}
