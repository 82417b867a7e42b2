import { isObject, type Json, type JsonObject } from "pintle/kinds";

const LOST = new Set(["default", "nullable", "allOf", "anyOf", "oneOf", "not"]);
/** What a schema says about the form of values. */
const FORM = new Set(["type", "items", "properties", "additionalProperties", "required"]);

/** A published schema as OpenAPI v2 can put it: choices go, and what may be null or anything has no form. */
export function swaggerSchema(schema: JsonObject): JsonObject {
  const formless = schema["nullable"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const swagger: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (LOST.has(key) || (formless && FORM.has(key))) continue;
    swagger[key] = part(key, value!);
  }
  const reference = referred(schema["allOf"]);
  if (reference !== undefined) swagger["$ref"] = part("$ref", reference);
  // Quantities and ports: text is what every such value can be written as.
  if (schema["oneOf"] !== undefined && schema["type"] === undefined && !formless) swagger["type"] = "string";
  return swagger;
}

function part(key: string, value: Json): Json {
  if (key === "$ref") return String(value).replace("#/components/schemas/", "#/definitions/");
  if (key === "properties" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, swaggerSchema(of as JsonObject)]));
  }
  return (key === "items" || key === "additionalProperties") && isObject(value) ? swaggerSchema(value) : value;
}

/** v3 wraps references, to say more about them. */
function referred(allOf: Json | undefined): Json | undefined {
  const [only, ...more] = (Array.isArray(allOf) ? allOf : []) as readonly Json[];
  return isObject(only) && more.length === 0 ? only["$ref"] : undefined;
}
