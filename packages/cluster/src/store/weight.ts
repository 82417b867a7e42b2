import type { Json } from "pintle/kinds";

/** About how many bytes of memory a value takes. */
export function weightOf(value: Json | undefined): number {
  if (typeof value === "string") return 16 + value.length;
  if (value === null || typeof value !== "object") return 8;
  let weight = 32;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) weight += weightOf(item);
    return weight;
  }
  const fields = value as Readonly<Record<string, Json | undefined>>;
  // Who owns what is shared by all objects that have the same fields.
  for (const name in fields) if (name !== "fieldsV1") weight += 16 + weightOf(fields[name]);
  return weight;
}
