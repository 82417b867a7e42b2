import { encodeGoJson } from "pintle/internal/go-format";
import type { Json, JsonObject } from "pintle/internal/json";
import { JSON_SCHEMA, zeroOfJsonType } from "./json-types.ts";
import { fieldsOf } from "./structs.ts";

/** Returns the JSON value that Go writes for a struct: fields in Go's order, zero values where the struct does not omit them. */
export function toGoJson(value: unknown, type: string): JsonObject {
  return convert(value, type) as JsonObject;
}

/** Returns the text that `json.Marshal` writes for a struct. Unlike the keys of maps, fields are not sorted. */
export function encodeGoStruct(value: unknown, type: string): string {
  return encode(convert(value, type), type);
}

function convert(value: unknown, type: string): Json {
  if (type.startsWith("*")) return value === undefined || value === null ? null : convert(value, type.slice(1));
  if (type.startsWith("json ")) return convertJsonType(value, type.slice(5));
  if (type.startsWith("[]")) {
    return value === undefined ? null : (value as readonly unknown[]).map((item) => convert(item, type.slice(2)));
  }
  if (type.startsWith("map ")) {
    if (value === undefined) return null;
    const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, field]) => [key, convert(field, type.slice(4))]));
  }
  const fields = fieldsOf(type);
  if (fields === undefined) return (value ?? zeroOfScalar(type)) as Json;
  const struct = (value ?? {}) as Readonly<Record<string, unknown>>;
  const result: Record<string, Json> = {};
  for (const { name, type: fieldType, omit } of fields) {
    const field = struct[name];
    if (omit === "zero" && (field === undefined || field === "")) continue;
    if (omit === "empty" && isEmpty(field, fieldType)) continue;
    result[name] = convert(field, fieldType);
  }
  return result;
}

function convertJsonType(value: unknown, name: string): Json {
  if (value === undefined || value === null) return zeroOfJsonType(name);
  if (!name.startsWith("JSONSchemaPropsOr") || typeof value !== "object") return value as Json;
  if (!Array.isArray(value)) return convert(value, JSON_SCHEMA);
  return name === "JSONSchemaPropsOrStringArray" ? (value as Json) : convert(value, `[]${JSON_SCHEMA}`);
}

/** Go's omitempty: structs are never empty. */
function isEmpty(value: unknown, type: string): boolean {
  if (type.startsWith("*")) return value === undefined;
  if (type.startsWith("[]")) return value === undefined || (value as readonly unknown[]).length === 0;
  if (type.startsWith("map ")) return value === undefined || Object.keys(value as object).length === 0;
  if (type.startsWith("json ")) return type === "json RawMessage" && value === undefined;
  if (fieldsOf(type) !== undefined) return false;
  return value === undefined || value === zeroOfScalar(type);
}

function zeroOfScalar(type: string): Json {
  if (type === "string") return "";
  if (type === "bytes") return null;
  return type === "bool" ? false : 0;
}

/** Writes fields of structs in their order; everything else is left to `encodeGoJson`. */
function encode(value: Json, type: string): string {
  if (value === null) return "null";
  if (type.startsWith("*")) return encode(value, type.slice(1));
  if (type.startsWith("[]")) return `[${(value as readonly Json[]).map((item) => encode(item, type.slice(2))).join(",")}]`;
  const fields = fieldsOf(type);
  if (fields === undefined) return encodeGoJson(value);
  const object = value as JsonObject;
  const present = fields.filter(({ name }) => object[name] !== undefined);
  return `{${present.map(({ name, type: fieldType }) => `${encodeGoJson(name)}:${encode(object[name]!, fieldType)}`).join(",")}}`;
}
