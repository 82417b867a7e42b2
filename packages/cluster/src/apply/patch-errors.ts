import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { ApiError } from "../status/index.ts";

/** A well-formed patch that does not apply. Like upstream, the message gives no reason. */
export function unprocessablePatch(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

/** An error that upstream reports as 500 without a reason. */
export function unclassifiedError(message: string): ApiError {
  return new ApiError(500, "", message);
}

/** Error text of Go's JSON decoder. */
export function cannotUnmarshalMessage(value: Json, type: string): string {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${type}`;
}

/** Go type of a value, as upstream's messages print it. */
export function goTypeName(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "int64" : "string";
}
