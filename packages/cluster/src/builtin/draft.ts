import type { Json, JsonObject } from "pintle/kinds";

/**
 * A copy that may be changed, of an object nobody has validated yet: any field may be missing, lists without omitempty
 * may be null, and a string may be none of those the type allows.
 */
export type Draft<T> = T extends string
  ? string
  : T extends number | boolean | bigint | null | undefined
    ? T
    : unknown extends T
      ? Json
      : T extends readonly (infer Item)[]
        ? Draft<Item>[]
        : { -readonly [K in keyof T]?: Draft<NonNullable<T[K]>> | null | undefined };

/** The same, for reading. */
export type Loose<T> = T extends string
  ? string
  : T extends number | boolean | bigint | null | undefined
    ? T
    : unknown extends T
      ? Json
      : T extends readonly (infer Item)[]
        ? readonly Loose<Item>[]
        : { readonly [K in keyof T]?: Loose<NonNullable<T[K]>> | null | undefined };

export function draftOf<T>(object: JsonObject): Draft<T> {
  return copy(object) as Draft<T>;
}

function copy(value: Json | undefined): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(copy);
  const object: Record<string, unknown> = { ...(value as JsonObject) };
  for (const key in object) {
    const part = object[key];
    // Who owns what is nobody's to change in a draft; uncopied, objects go on sharing it.
    if (typeof part === "object" && part !== null && key !== "managedFields") object[key] = copy(part as Json);
  }
  return object;
}

/** The draft as an object: fields that were set to undefined are gone. What is frozen was stored once, and is clean. */
export function objectOf(draft: Draft<any>): JsonObject {
  dropUndefined(draft);
  return draft;
}

function dropUndefined(value: unknown): void {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) dropUndefined(item);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    if (fields[key] === undefined) delete fields[key];
    else dropUndefined(fields[key]);
  }
}
