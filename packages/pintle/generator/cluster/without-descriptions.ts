import { isRecord } from "../input/documents.ts";

/** Returns a schema, operation or parameter without descriptions and with sorted keys. */
export function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A property can have the name "description"; its value is a schema, not a string.
      .filter(([key, field]) => key !== "description" || typeof field !== "string")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, withoutDescriptions(field)]),
  );
}
