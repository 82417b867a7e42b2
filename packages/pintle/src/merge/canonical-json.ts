import { hash } from "node:crypto";
import { InvalidArgumentError } from "../errors/index.ts";

/**
 * Returns the canonical JSON of a value: sorted keys, no `undefined` fields, lists in their order. Two values have the same text exactly
 * when the API server would store the same object for both. Throws `InvalidArgumentError` for values that JSON cannot express.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? canonicalList(value) : canonicalObject(value as Record<string, unknown>);
    default:
      throw new InvalidArgumentError("PINTLE1060", `${typeof value} is not a JSON value`);
  }
}

/** Returns a hash of the canonical JSON: 16 characters, 96 bits. */
export function digest(value: unknown): string {
  return hash("sha256", canonicalJson(value), "base64url").slice(0, 16);
}

function canonicalList(items: readonly unknown[]): string {
  if (items.length === 0) return "[]";
  let text = "[";
  for (let i = 0; i < items.length; i++) text += i === 0 ? canonicalJson(items[i]) : `,${canonicalJson(items[i])}`;
  return `${text}]`;
}

function canonicalObject(fields: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const key of sortKeys(fields)) {
    const field = fields[key];
    if (field !== undefined) text += `${text === "" ? "{" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** Returns the keys of an object in order. Most objects have sorted keys already, and a check is cheaper than sorting. */
export function sortKeys(fields: object): string[] {
  const keys = Object.keys(fields);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}
