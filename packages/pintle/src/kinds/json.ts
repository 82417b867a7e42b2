/** Everything the API server stores is JSON; integers beyond 2^53 arrive as bigint so that nothing is lost. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Deeply readonly view of a JSON-shaped type. Primitives (also branded ones), `Json` and `unknown` pass through untouched. */
export type DeepReadonly<T> = [Json] extends [T]
  ? T
  : T extends string | number | boolean | bigint | null | undefined
    ? T
    : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/** `object[key] = value`, also where the key is `__proto__`, which would otherwise change what the object is. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/**
 * A copy with more fields, for what runs often. Node 20 gives every `{ ...object, more }` that adds a field a hidden class of
 * its own: that takes a microsecond, and the class stays until all garbage is collected. Not so where the copy begins with
 * nothing, or where a literal names some field before the first spread; a field that is only replaced costs nothing either.
 */
export function extended<T extends object, M extends object>(object: T, more: M): Omit<T, keyof M> & M {
  return { ...NOTHING, ...object, ...more };
}
const NOTHING = {};

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
