import type { Json } from "../kinds/index.ts";
import { notStructural } from "./invalid-resource.ts";
import type { Draft } from "./node.ts";

/** A closed set of values of one scalar type. */
export function enumeration(values: readonly unknown[], path: string): Draft {
  const types = [...new Set(values.map(typeOf))];
  const [type] = types;
  if (types.length === 1 && (type === "string" || type === "integer" || type === "boolean"))
    return { type, enum: values as readonly Json[] };
  if (types.length === 0) throw notStructural(path, "an enum of nothing", "give it values");
  throw notStructural(path, `an enum of ${types.join(" and ")}`, "use strings only, integers only or booleans only; null is .nullable()");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}
