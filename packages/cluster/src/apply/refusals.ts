import { isObject, type Json } from "pintle/kinds";
import { ApiError } from "../status/index.ts";

/** A patch that is well-formed but does not apply. The server keeps the reason to itself. */
export function unprocessable(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

/** Failures that the server has no better answer for. */
export function unexpected(message: string): ApiError {
  return new ApiError(500, "", message);
}

/** The words of Go's JSON decoder. */
export function cannotUnmarshal(value: Json, type: string): string {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${type}`;
}

/** The type a value has inside the server, which its messages name. */
export function goType(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "int64" : "string";
}
