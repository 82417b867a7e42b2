import { hash } from "node:crypto";

/**
 * Stable text of a value: JSON with sorted keys, `undefined` fields left out, list order kept. Two values have the
 * same text exactly when a server would store the same thing for both.
 */
export function canonical(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? list(value) : record(value as Record<string, unknown>);
    default:
      throw new TypeError(`${typeof value} has no place in a JSON value`);
  }
}

/** Short hash of the canonical text: 16 characters, 96 bits. */
export function digest(value: unknown): string {
  return hash("sha256", canonical(value), "base64url").slice(0, 16);
}

function list(items: readonly unknown[]): string {
  if (items.length === 0) return "[]";
  let text = "[";
  for (let i = 0; i < items.length; i++) text += i === 0 ? canonical(items[i]) : `,${canonical(items[i])}`;
  return `${text}]`;
}

function record(fields: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const key of sortedKeys(fields)) {
    const field = fields[key];
    if (field !== undefined) text += `${text === "" ? "{" : ","}${JSON.stringify(key)}:${canonical(field)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** Most objects come with their keys in order already: looking is cheaper than sorting. */
export function sortedKeys(fields: object): string[] {
  const keys = Object.keys(fields);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}
