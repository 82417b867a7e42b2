import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/internal/json";
import { decodeJsonType } from "./json-types.ts";
import { fieldsOf } from "./structs.ts";

const INTEGERS = /^u?int(8|16|32|64)?$/;

/**
 * Converts an object to a Go struct as apimachinery's converter does, and returns what the struct keeps: unknown fields and nulls are gone. Throws
 * `PintleError` with the text of the converter for a value of another type.
 */
export function fromUnstructured(value: unknown, type: string): JsonObject {
  return convert(value, type) as JsonObject;
}

function convert(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (type.startsWith("*")) return convert(value, type.slice(1));
  if (type.startsWith("json ")) return decodeJsonType(value, type.slice(5), convert);
  if (type.startsWith("[]")) {
    if (!Array.isArray(value)) throw mismatch(`cannot restore slice from ${kindOf(value)}`);
    return value.map((item) => convert(item, type.slice(2)) ?? zeroOf(type.slice(2)));
  }
  if (type.startsWith("map ")) {
    if (!isMap(value)) throw mismatch(`cannot restore map from ${kindOf(value)}`);
    const inner = type.slice(4);
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, convert(field, inner) ?? zeroOf(inner)]));
  }
  if (type === "bytes") {
    if (typeof value !== "string") throw mismatch(`cannot restore slice from ${kindOf(value)}`);
    return value;
  }
  const fields = fieldsOf(type);
  if (fields === undefined) return convertScalar(value, type);
  if (!isMap(value)) throw mismatch(`cannot restore struct from: ${kindOf(value)}`);
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const converted = Object.hasOwn(value, field.name) ? convert(value[field.name], field.type) : undefined;
    if (converted !== undefined) result[field.name] = converted;
  }
  return result;
}

function convertScalar(value: unknown, type: string): unknown {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if (INTEGERS.test(type) && isNumber) {
    if (typeof value === "number" && !Number.isInteger(value)) throw mismatch(`cannot convert float64 to ${type}`);
    // Go's conversion keeps the low bits.
    return type === "int32" ? Number(BigInt.asIntN(32, BigInt(value))) : value;
  }
  if (type.startsWith("float") && isNumber) return value;
  if (typeof value === (type === "bool" ? "boolean" : type)) return value;
  // Go would convert an integer to the character with this code, which the converter refuses.
  if (type === "string" && isNumber && kindOf(value) === "int64") throw mismatch("cannot convert int64 to string");
  throw mismatch(`unrecognized type: ${type}`);
}

/** The zero value of an element that is null; undefined where that is nil. */
function zeroOf(type: string): unknown {
  if (type === "string") return "";
  if (type === "bool") return false;
  if (INTEGERS.test(type) || type.startsWith("float")) return 0;
  return fieldsOf(type) === undefined ? undefined : {};
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "object" ? "map" : typeof value;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mismatch(message: string): PintleError {
  return new PintleError("PINTLE8014", message);
}
