import * as z from "zod";
import { type Any, mark } from "./facts.ts";

type Scalar = string | number | boolean;
type Keyed<T extends z.ZodObject> = Extract<
  { [K in keyof T["shape"]]: z.output<T["shape"][K]> extends Scalar ? K : never }[keyof T["shape"]],
  string
>;

/**
 * A list merged by key: `listMap(Port, "name")`. Keys are scalar fields of the item that are always there: required,
 * or with a default. Two items with the same keys are refused.
 */
export function listMap<T extends z.ZodObject>(item: T, ...keys: [Keyed<T>, ...Keyed<T>[]]): z.ZodArray<T> {
  const unique = (items: readonly Record<string, unknown>[]) => repeated(items.map((one) => keys.map((key) => one[key])));
  return mark(z.array(item), { list: { type: "map", keys } }, unique);
}

/** A list of distinct values, merged by value: scalars, or `atomic(...)` lists and objects. */
export function listSet<T extends Any>(item: T): z.ZodArray<T> {
  return mark(z.array(item), { list: { type: "set" } }, repeated);
}

function repeated(values: readonly unknown[]): string | undefined {
  const seen = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value);
    if (seen.has(text)) return `${text} is there twice`;
    seen.add(text);
  }
  return undefined;
}
