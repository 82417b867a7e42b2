import type { Json } from "../../kinds/index.ts";
import { notStructuralError } from "../invalid-resource.ts";
import type { MutableSchema } from "./zod-node.ts";

/** Returns the schema of an enum of strings, integers or booleans. */
export function buildEnumSchema(values: readonly unknown[], path: string): MutableSchema {
  const types = [...new Set(values.map(jsonTypeOf))];
  const [type] = types;
  if (types.length === 1 && (type === "string" || type === "integer" || type === "boolean"))
    return { type, enum: values as readonly Json[] };
  if (types.length === 0) throw notStructuralError(path, "an enum without values", "add values");
  throw notStructuralError(
    path,
    `an enum of ${types.join(" and ")}`,
    "use only strings, only integers or only booleans; for null use .nullable()",
  );
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}
