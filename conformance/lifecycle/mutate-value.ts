import type { Random } from "../apply/random.ts";

/** A JSON value that can be changed. */
export type MutableJson = null | boolean | number | string | MutableJson[] | { [key: string]: MutableJson };

/** Returns a copy of `value` with a few random changes: a value is replaced, removed, repeated, or moved to another place. */
export function mutateValue<T>(value: T, words: readonly MutableJson[], random: Random): T {
  const copy = structuredClone(value) as MutableJson;
  for (let changes = 1 + random.int(3); changes > 0; changes--) mutateOnce(copy, words, random);
  return copy as T;
}

function mutateOnce(root: MutableJson, words: readonly MutableJson[], random: Random): void {
  const places = listPlaces(root);
  const { parent, key } = random.pick(places);
  if (Array.isArray(parent)) {
    const at = key as number;
    if (random.chance(0.3)) parent.splice(at, 1);
    else if (random.chance(0.4)) parent.push(structuredClone(parent[at]!));
    else parent[at] = structuredClone(random.pick(words));
    return;
  }
  const object = parent as { [key: string]: MutableJson };
  const change = random.int(10);
  if (change < 3) {
    delete object[key];
  } else if (change < 5) {
    const other = random.pick(places);
    object[key] = structuredClone((other.parent as { [key: string]: MutableJson })[other.key]!);
  } else {
    object[key] = structuredClone(random.pick(words));
  }
}

interface Place {
  readonly parent: MutableJson[] | { [key: string]: MutableJson };
  readonly key: string | number;
}

function listPlaces(value: MutableJson): Place[] {
  if (value === null || typeof value !== "object") return [];
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  return keys.flatMap((key) => [{ parent: value, key }, ...listPlaces((value as { [key: string]: MutableJson })[key]!)]);
}
