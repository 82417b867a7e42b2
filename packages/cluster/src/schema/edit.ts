import { type Json, type JsonObject, setOwn } from "pintle/kinds";

type Draft = Record<string, Json | undefined>;

/**
 * Sets (or, with undefined, removes) a field of a copy of `original`; the copy is made at the first change and handed
 * back, so that an object nothing changes stays the same value.
 */
export function edit(original: JsonObject, copy: Draft | undefined, key: string, value: Json | undefined): Draft {
  const draft = copy ?? { ...original };
  if (value === undefined) delete draft[key];
  else setOwn<Json | undefined>(draft, key, value);
  return draft;
}

/** Maps a list, keeping it when no item changes. */
export function editItems(items: readonly Json[], change: (item: Json, index: number) => Json): readonly Json[] {
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

/** Freezes a JSON value with everything in it. */
export function freeze<T extends Json | undefined>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) freeze(child as Json);
  }
  return value;
}
