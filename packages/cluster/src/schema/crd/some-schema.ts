import { isObject } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";

/** True if the predicate holds anywhere in a schema, also inside allOf, anyOf, oneOf and not. */
export function someSchema(schema: JsonSchema, predicate: (schema: JsonSchema) => boolean): boolean {
  if (predicate(schema)) return true;
  const { items, not, additionalProperties: additional, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
  const below = [...(Array.isArray(items) ? items : [items]), not, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  if (typeof additional === "object") below.push(additional);
  return below.some((child) => isObject(child) && someSchema(child as JsonSchema, predicate));
}
