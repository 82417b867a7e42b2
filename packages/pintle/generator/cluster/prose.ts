import { isRecord } from "../documents.ts";

/** A schema, operation or parameter without its descriptions, keys sorted: what is left is facts. */
export function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A property may be called "description": its value is a schema, not a text.
      .filter(([key, field]) => key !== "description" || typeof field !== "string")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, withoutProse(field)]),
  );
}
