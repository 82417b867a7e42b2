import * as z from "zod";
import { type AnyZodType, withAttributes } from "./field-attributes.ts";

type ScalarValue = string | number | boolean;
type ScalarFieldName<T extends z.ZodObject> = Extract<
  { [K in keyof T["shape"]]: z.output<T["shape"][K]> extends ScalarValue ? K : never }[keyof T["shape"]],
  string
>;

/**
 * A list that server-side apply merges by key (`x-kubernetes-list-type: map`). Keys are scalar fields of the item that are required or
 * have a default. The API server rejects two items with the same keys.
 *
 * @example
 * ```ts
 * import { listMap, z } from "pintle";
 *
 * const ports = listMap(z.object({ name: z.string(), port: z.int32() }), "name");
 * ```
 */
export function listMap<T extends z.ZodObject>(item: T, ...keys: [ScalarFieldName<T>, ...ScalarFieldName<T>[]]): z.ZodArray<T> {
  const unique = (items: readonly Record<string, unknown>[]) => findDuplicate(items.map((one) => keys.map((key) => one[key])));
  return withAttributes(z.array(item), { list: { type: "map", keys } }, unique);
}

/**
 * A list of distinct values that server-side apply merges by value (`x-kubernetes-list-type: set`). Items are scalars, or lists and
 * objects marked with `atomic()`.
 *
 * @example
 * ```ts
 * import { listSet, z } from "pintle";
 *
 * const hosts = listSet(z.string());
 * ```
 */
export function listSet<T extends AnyZodType>(item: T): z.ZodArray<T> {
  return withAttributes(z.array(item), { list: { type: "set" } }, findDuplicate);
}

function findDuplicate(values: readonly unknown[]): string | undefined {
  const seen = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value);
    if (seen.has(text)) return `${text} is a duplicate`;
    seen.add(text);
  }
  return undefined;
}
