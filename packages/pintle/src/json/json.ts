/** A JSON value. Integers beyond 2^53 are bigint, so that nothing is lost. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The deeply readonly form of a JSON type. Primitives, `Json` and `unknown` are unchanged. */
export type DeepReadonly<T> = [Json] extends [T]
  ? T
  : T extends string | number | boolean | bigint | null | undefined
    ? T
    : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/** Sets `object[key]`, also for the key `__proto__`, which would otherwise change the prototype. */
export function setOwnProperty<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/**
 * Returns a copy with more fields, for hot paths. Node 20 creates a hidden class for every `{ ...object, more }` that adds a field, which
 * costs a microsecond and stays until a full garbage collection. It does not if the copy starts from an empty object.
 */
export function extendObject<T extends object, M extends object>(object: T, more: M): Omit<T, keyof M> & M {
  return { ...EMPTY, ...object, ...more };
}
const EMPTY = {};

/** Returns whether a value is an object other than an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
