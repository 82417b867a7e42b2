/** Go types that decode and encode their JSON themselves. */
import { PintleError } from "pintle/internal/errors";
import type { Json } from "pintle/internal/json";
import { canonicalizeQuantity } from "pintle/internal/merge";
import { formatVersion, parseRelease, parseTolerantVersion } from "../versions/index.ts";

export const JSON_SCHEMA = "apiextensions/v1.JSONSchemaProps";
type Convert = (value: unknown, type: string) => unknown;

/** Decodes a value that is not null. Values are kept in the form in which Go writes them. */
export function decodeJsonType(value: unknown, name: string, convert: Convert): unknown {
  switch (name) {
    case "Quantity":
      return decodeQuantity(value);
    case "IntOrString":
      if (typeof value === "string" || (typeof value === "number" && Number.isInteger(value))) return value;
      throw invalid(`json: cannot unmarshal ${nameOf(value)} into Go value of type int32`);
    case "Time":
      return decodeTime(value);
    case "OperatorVersion":
      return formatVersion(parseTolerantVersion(decodeString(value)));
    case "OperatorRelease":
      return parseRelease(decodeString(value)).join(".");
    case "JSONSchemaPropsOrArray":
      if (Array.isArray(value)) return value.length === 0 ? null : convert(value, `[]${JSON_SCHEMA}`);
      return isMap(value) ? convert(value, JSON_SCHEMA) : null;
    case "JSONSchemaPropsOrBool":
      if (typeof value === "boolean") return value;
      if (isMap(value)) return convert(value, JSON_SCHEMA);
      throw invalid("boolean or JSON schema expected");
    case "JSONSchemaPropsOrStringArray":
      if (Array.isArray(value)) return convert(value, "[]string");
      return isMap(value) ? convert(value, JSON_SCHEMA) : null;
    default:
      // JSON, RawMessage, FieldsV1: any value.
      return value;
  }
}

/** What Go writes for the zero value. */
export function zeroOfJsonType(name: string): Json {
  if (name === "Quantity") return "0";
  if (name === "IntOrString") return 0;
  if (name === "OperatorVersion") return "0.0.0";
  return name === "OperatorRelease" ? "" : null;
}

function decodeQuantity(value: unknown): string {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  const canonical = typeof text === "string" ? canonicalizeQuantity(text) : undefined;
  if (canonical === undefined) {
    throw invalid("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  return canonical;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function decodeTime(value: unknown): string {
  const text = decodeString(value);
  const time = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw invalid(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`);
  }
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

function decodeString(value: unknown): string {
  if (typeof value === "string") return value;
  throw invalid(`json: cannot unmarshal ${nameOf(value)} into Go value of type string`);
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  return typeof value;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(message: string): PintleError {
  return new PintleError("PINTLE8014", message);
}
