import type { Json, JsonObject } from "pintle/kinds";

/**
 * A mutable copy of an object that is not validated yet: any field may be missing, lists without omitempty may be null,
 * and strings may have any value.
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

/** A read-only object that is not validated yet; see `Draft`. */
export type Unvalidated<T> = T extends string
  ? string
  : T extends number | boolean | bigint | null | undefined
    ? T
    : unknown extends T
      ? Json
      : T extends readonly (infer Item)[]
        ? readonly Unvalidated<Item>[]
        : { readonly [K in keyof T]?: Unvalidated<NonNullable<T[K]>> | null | undefined };

export function createDraft<T>(object: JsonObject): Draft<T> {
  return copyValue(object) as Draft<T>;
}

function copyValue(value: Json | undefined): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(copyValue);
  const object: Record<string, unknown> = { ...(value as JsonObject) };
  for (const key in object) {
    const part = object[key];
    // Drafts do not change managedFields, so all copies share them.
    if (typeof part === "object" && part !== null && key !== "managedFields") object[key] = copyValue(part as Json);
  }
  return object;
}

/**
 * Removes fields that were set to undefined and returns the draft as an object. Frozen values come from the store and
 * have none.
 */
export function finishDraft(draft: Draft<any>): JsonObject {
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
