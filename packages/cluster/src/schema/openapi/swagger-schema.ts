import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

const UNSUPPORTED_KEYWORDS = new Set(["default", "nullable", "allOf", "anyOf", "oneOf", "not"]);
/** Keywords that constrain the type of a value. */
const TYPE_KEYWORDS = new Set(["type", "items", "properties", "additionalProperties", "required"]);

/** Converts a schema to OpenAPI v2: junctors are dropped, and nullable or schemaless values have no type. */
export function toSwaggerSchema(schema: JsonObject): JsonObject {
  const isUntyped = schema["nullable"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const swagger: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (UNSUPPORTED_KEYWORDS.has(key) || (isUntyped && TYPE_KEYWORDS.has(key))) continue;
    swagger[key] = toSwaggerKeyword(key, value!);
  }
  const reference = getSingleReference(schema["allOf"]);
  if (reference !== undefined) swagger["$ref"] = toSwaggerKeyword("$ref", reference);
  // Quantities and int-or-string values: every such value can be written as a string.
  if (schema["oneOf"] !== undefined && schema["type"] === undefined && !isUntyped) swagger["type"] = "string";
  return swagger;
}

/**
 * Converts the schema of a custom resource. One that preserves unknown fields at its root is published as a bare object, because
 * kubectl refuses fields that a schema with properties does not declare.
 */
export function toSwaggerDefinition(schema: JsonObject): JsonObject {
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return toSwaggerSchema(schema);
  const { "x-kubernetes-group-version-kind": kinds, "x-kubernetes-selectable-fields": fields } = schema;
  return {
    type: "object",
    ...(kinds !== undefined && { "x-kubernetes-group-version-kind": kinds }),
    ...(fields !== undefined && { "x-kubernetes-selectable-fields": fields }),
  };
}

function toSwaggerKeyword(key: string, value: Json): Json {
  if (key === "$ref") return String(value).replace("#/components/schemas/", "#/definitions/");
  if (key === "properties" && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, toSwaggerSchema(of as JsonObject)]));
  }
  return (key === "items" || key === "additionalProperties") && isJsonObject(value) ? toSwaggerSchema(value) : value;
}

/** Returns the reference of an allOf with a single entry, which OpenAPI v3 uses to add keywords to references. */
function getSingleReference(allOf: Json | undefined): Json | undefined {
  const [only, ...more] = (Array.isArray(allOf) ? allOf : []) as readonly Json[];
  return isJsonObject(only) && more.length === 0 ? only["$ref"] : undefined;
}
