import { quoteGoString } from "../../go-format/index.ts";
import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import { createStringCache } from "../../memoize/index.ts";
import { sortKeys } from "../canonical-json.ts";

/**
 * One element of a path as in managedFields: `f:spec` a field, `k:{"name":"a"}` the item with these keys, `v:"a"` the item of this value,
 * `i:0` the item at this index. Two elements are equal exactly when their texts are.
 */
export type PathElement = string;

/** Elements by field name. Field names repeat, and a cached string is already interned as a property name. */
const fieldElements = createStringCache<PathElement>(4 * 1024 * 1024);

/** Returns the element of a field. */
export function fieldElement(name: string): PathElement {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  const element = `f:${name}`;
  fieldElements.set(name, element);
  return element;
}

/** Returns the element of a set item. */
export const valueElement = (value: Json): PathElement => `v:${encodeElementValue(value)}`;

/** Returns the element of a list map item. `keys` are sorted by name, as in Shape; keys that the item lacks are omitted. */
export function keyElement(keys: readonly string[], value: (key: string) => Json | undefined): PathElement | undefined {
  let text = "";
  for (const key of keys) {
    const found = value(key);
    if (found !== undefined) text += `${text === "" ? "k:{" : ","}"${key}":${encodeElementValue(found)}`;
  }
  return text === "" ? undefined : `${text}}`;
}

/** Parses an element of any client. Returns undefined if its kind is unknown, and throws `SyntaxError` if it is malformed. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError("key must be 2 characters long:");
  if (text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      // Integers may exceed the precision of a number.
      return INTEGER.test(content) ? `v:${content.trim()}` : valueElement(JSON.parse(content) as Json);
    case "k": {
      const keys = JSON.parse(content) as Json;
      if (!isJsonObject(keys)) throw new SyntaxError(`not an object: ${text}`);
      return keyElement(sortKeys(keys), (key) => keys[key]) ?? "k:{}";
    }
    case "i":
      if (!/^[+-]?\d+$/.test(content)) throw new SyntaxError(`not an index: ${text}`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

/** Compares two elements of one level in the order in which the API server writes them. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charCodeAt(0);
  const other = b.charCodeAt(0);
  if (kind !== other) return ELEMENT_ORDER.indexOf(a[0]!) - ELEMENT_ORDER.indexOf(b[0]!);
  switch (kind) {
    case KEY:
      return compareKeyTexts(a, b) ?? compareKeys(JSON.parse(a.slice(2)) as JsonObject, JSON.parse(b.slice(2)) as JsonObject);
    case VALUE:
      return compareValues(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json);
    case INDEX:
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return a < b ? -1 : 1;
  }
}

/** Formats an element as in the API server's messages: `.spec`, `[name="a"]`, `[="a"]`, `[0]`. */
export function formatPathElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "k": {
      const keys = Object.entries(JSON.parse(content) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${formatElementValue(value as Json)}`).join(",")}]`;
    }
    case "v":
      return `[=${INTEGER.test(content) ? content : formatElementValue(JSON.parse(content) as Json)}]`;
    case "i":
      return `[${content}]`;
    default:
      return `.${content}`;
  }
}

const ELEMENT_ORDER = ".fkvi";
const KEY = "k".charCodeAt(0);
const VALUE = "v".charCodeAt(0);
const INDEX = "i".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const INTEGER = /^\s*-?\d+\s*$/;

/** Compares two key elements without parsing if they first differ inside a plain string, as most do; undefined otherwise. */
function compareKeyTexts(a: string, b: string): number | undefined {
  const end = Math.min(a.length, b.length);
  let inString = false;
  for (let i = 2; i < end; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === BACKSLASH || right === BACKSLASH) return undefined;
    if (left === right) {
      if (left === QUOTE) inString = !inString;
      continue;
    }
    if (!inString) return undefined;
    // The end of a string sorts before any character.
    return left === QUOTE ? -1 : right === QUOTE ? 1 : left - right;
  }
  return undefined;
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name, value] = left[i]!;
    const [otherName, otherValue] = right[i]!;
    if (name !== otherName) return name < otherName ? -1 : 1;
    const order = compareValues(value as Json, otherValue as Json);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareValues(a: Json, b: Json): number {
  const order = typeRank(a) - typeRank(b);
  if (order !== 0) return order;
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
}

function typeRank(value: Json): number {
  return ["number", "string", "boolean"].indexOf(typeof value) >>> 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that JSON.stringify writes differently
const ESCAPED = /[<>&\u2028\u2029\u0008\u000c]/g;
const SHORT = /\\[bf]/;

/** JSON as Go's encoder writes it, which escapes HTML characters. */
function encodeElementValue(value: Json): string {
  if (typeof value !== "string") return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  const text = JSON.stringify(value);
  if (text.search(ESCAPED) < 0 && !SHORT.test(text)) return text;
  return JSON.stringify(value.replace(ESCAPED, (c) => `\u0000${c.charCodeAt(0).toString(16).padStart(4, "0")}`)).replaceAll(
    "\\u0000",
    "\\u",
  );
}

function formatElementValue(value: Json): string {
  return typeof value === "string" ? quoteGoString(value) : JSON.stringify(value);
}
