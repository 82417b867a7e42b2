import { isJsonObject, type Json } from "pintle/internal/json";

/**
 * Formats a blob as one line, as operator-registry keeps it: keys sorted, no spaces, numbers as 64-bit floating point numbers. The line ends
 * with a newline.
 */
export function formatMetaLine(value: unknown): string {
  return `${encodeGoMap(value as Json)}\n`;
}

/** Encodes a value as Go encodes a `map[string]any` without escaping HTML. */
export function encodeGoMap(value: Json): string {
  const sorted = sortKeys(value);
  const text = sorted === undefined ? encodeSlowly(value) : JSON.stringify(sorted);
  return text.includes("\u2028") || text.includes("\u2029") || text.includes("\\ud") ? fixText(text) : text;
}

/** Go escapes line separators, and has no half of a surrogate pair. */
function fixText(text: string): string {
  return text
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
}

/** Keys that look like numbers come first in every object of JavaScript, whatever the order in which they are added. */
const NUMERIC_KEY = /^(0|[1-9]\d{0,9})$/;

/** Returns the value with sorted keys; the same value if they are sorted already; undefined if `JSON.stringify` would not write it so. */
function sortKeys(value: Json): Json | undefined {
  if (typeof value === "bigint") return Number(value);
  if (Object.is(value, -0)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let copy: Json[] | undefined;
    for (const [i, item] of (value as readonly Json[]).entries()) {
      const sorted = sortKeys(item);
      if (sorted === undefined) return undefined;
      if (sorted !== item) {
        copy ??= [...(value as readonly Json[])];
        copy[i] = sorted;
      }
    }
    return copy ?? value;
  }
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  let isSame = true;
  const fields: Json[] = [];
  let previous = "";
  for (const key of keys) {
    if (key === "__proto__" || (key.charCodeAt(0) <= 0x39 && NUMERIC_KEY.test(key))) return undefined;
    const field = sortKeys(value[key]!);
    if (field === undefined) return undefined;
    if (field !== value[key] || compareKeys(previous, key) > 0) isSame = false;
    previous = key;
    fields.push(field);
  }
  if (isSame) return value;
  const byKey = new Map(keys.map((key, i) => [key, fields[i]!]));
  return Object.fromEntries(keys.sort(compareKeys).map((key) => [key, byKey.get(key)!]));
}

function encodeSlowly(value: Json): string {
  if (typeof value === "bigint") return JSON.stringify(Number(value));
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(encodeSlowly).join(",")}]`;
  const object = value as Readonly<Record<string, Json>>;
  const fields = Object.keys(object)
    .sort(compareKeys)
    .map((key) => `${JSON.stringify(key)}:${encodeSlowly(object[key]!)}`);
  return `{${fields.join(",")}}`;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Go compares bytes. Those of UTF-16 and UTF-8 have another order only where surrogates are involved. */
function compareKeys(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
