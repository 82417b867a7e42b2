import { isObject, type Json, type JsonObject } from "../kinds/index.ts";
import { sortedKeys } from "./canonical.ts";
import { quoted } from "./go-text.ts";

/**
 * One step of a path, written as in managedFields: `f:spec` a field, `k:{"name":"a"}` the item with these keys,
 * `v:"a"` the item of this value, `i:0` the item at this place. Two elements are equal exactly when their texts are.
 */
export type PathElement = string;

/** Field names repeat for ever; a made element that is found again saves making it a property name again. */
const fields = new Map<string, PathElement>();
const MAX_REMEMBERED = 10_000;

export function fieldElement(name: string): PathElement {
  const known = fields.get(name);
  if (known !== undefined) return known;
  if (fields.size >= MAX_REMEMBERED) fields.clear();
  const element = `f:${name}`;
  fields.set(name, element);
  return element;
}

export const valueElement = (value: Json): PathElement => `v:${written(value)}`;

/** `keys` in the order of their names, as Shape has them; keys the item does not have are left out. */
export function keyElement(keys: readonly string[], value: (key: string) => Json | undefined): PathElement | undefined {
  let text = "";
  for (const key of keys) {
    const found = value(key);
    if (found !== undefined) text += `${text === "" ? "k:{" : ","}"${key}":${written(found)}`;
  }
  return text === "" ? undefined : `${text}}`;
}

/** Reads an element that somebody else wrote; undefined when its kind is unknown, an error when it is malformed. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError("key must be 2 characters long:");
  if (text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      // Integers may be larger than a number can tell.
      return INTEGER.test(content) ? `v:${content.trim()}` : valueElement(JSON.parse(content) as Json);
    case "k": {
      const keys = JSON.parse(content) as Json;
      if (!isObject(keys)) throw new SyntaxError(`not an object: ${text}`);
      return keyElement(sortedKeys(keys), (key) => keys[key]) ?? "k:{}";
    }
    case "i":
      if (!/^[+-]?\d+$/.test(content)) throw new SyntaxError(`not an index: ${text}`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

/** The order in which a server writes the elements of one level. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charCodeAt(0);
  const other = b.charCodeAt(0);
  if (kind !== other) return RANK.indexOf(a[0]!) - RANK.indexOf(b[0]!);
  switch (kind) {
    case KEY:
      return compareText(a, b) ?? compareKeys(JSON.parse(a.slice(2)) as JsonObject, JSON.parse(b.slice(2)) as JsonObject);
    case VALUE:
      return compareValues(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json);
    case INDEX:
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return a < b ? -1 : 1;
  }
}

/** As error messages show it: `.spec`, `[name="a"]`, `[="a"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "k": {
      const keys = Object.entries(JSON.parse(content) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${shown(value as Json)}`).join(",")}]`;
    }
    case "v":
      return `[=${INTEGER.test(content) ? content : shown(JSON.parse(content) as Json)}]`;
    case "i":
      return `[${content}]`;
    default:
      return `.${content}`;
  }
}

const RANK = ".fkvi";
const KEY = "k".charCodeAt(0);
const VALUE = "v".charCodeAt(0);
const INDEX = "i".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const INTEGER = /^\s*-?\d+\s*$/;

/** Most keys first differ inside a plain string, and then need not be parsed; undefined when they do not. */
function compareText(a: string, b: string): number | undefined {
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
    // The end of a string comes before any character.
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
  const order = rankOf(a) - rankOf(b);
  if (order !== 0) return order;
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
}

function rankOf(value: Json): number {
  return ["number", "string", "boolean"].indexOf(typeof value) >>> 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what differs from JSON.stringify
const ESCAPED = /[<>&\u2028\u2029\u0008\u000c]/g;
const SHORT = /\\[bf]/;

/** JSON as the server's encoder writes it, which escapes for HTML. */
function written(value: Json): string {
  if (typeof value !== "string") return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  const text = JSON.stringify(value);
  if (text.search(ESCAPED) < 0 && !SHORT.test(text)) return text;
  return JSON.stringify(value.replace(ESCAPED, (c) => `\u0000${c.charCodeAt(0).toString(16).padStart(4, "0")}`)).replaceAll(
    "\\u0000",
    "\\u",
  );
}

function shown(value: Json): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}
