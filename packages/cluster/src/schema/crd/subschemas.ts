import { isJsonObject } from "pintle/internal/json";
import type { JsonSchema } from "../json-schema.ts";

/** Returns whether the predicate holds for any subschema, including those inside allOf, anyOf, oneOf and not. */
export function someSubschema(schema: JsonSchema, predicate: (schema: JsonSchema) => boolean): boolean {
  if (predicate(schema)) return true;
  const { items, not, additionalProperties: additional, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
  const below = [...(Array.isArray(items) ? items : [items]), not, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  if (typeof additional === "object") below.push(additional);
  return below.some((child) => isJsonObject(child) && someSubschema(child as JsonSchema, predicate));
}
