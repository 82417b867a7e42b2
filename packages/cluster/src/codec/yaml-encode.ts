import type { Json } from "pintle/kinds";

/** A list whose items are made when they are encoded. */
export class LazyList {
  readonly length: number;
  readonly #getItem: (index: number) => Json;

  constructor(length: number, getItem: (index: number) => Json) {
    this.length = length;
    this.#getItem = getItem;
  }

  at(index: number): Json {
    return this.#getItem(index);
  }
}

/** A map or a list whose entries are being written. */
interface Frame {
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly indent: string;
  get(index: number): Json | LazyList;
  next: number;
}

const PIECES_PER_CHUNK = 200;

/**
 * Encodes JSON as YAML in the form of sigs.k8s.io/yaml: block style, items of lists not indented. Takes linear time, and yields the text in small
 * chunks, so that the caller can let other work run meanwhile.
 */
export function* encodeYaml(root: Json | LazyList): Generator<string> {
  const stack: Frame[] = [];
  let pieces: string[] = [];
  /** Writes a value behind its key or dash, whose line it may continue. */
  const write = (value: Json | LazyList, indent: string, inLine: boolean, inList: boolean) => {
    const frame = openFrame(value, indent);
    if (frame === undefined) pieces.push(inLine ? " " : "", encodeScalar(value as Json, indent), "\n");
    else {
      // The first entry of a map or list in a list stands behind the dash.
      if (inLine) pieces.push(inList ? " " : "\n");
      stack.push(frame);
    }
  };
  write(root, "", false, false);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.length) {
      stack.pop();
      continue;
    }
    const index = frame.next++;
    const behindDash = pieces.at(-1) === " ";
    if (!behindDash) pieces.push(frame.indent);
    if (frame.keys === undefined) {
      pieces.push("-");
      write(frame.get(index), `${frame.indent}  `, true, true);
    } else {
      pieces.push(encodeKey(frame.keys[index] as string, frame.indent), ":");
      const value = frame.get(index);
      const isList = Array.isArray(value) || value instanceof LazyList;
      write(value, isList ? frame.indent : `${frame.indent}  `, true, false);
    }
    if (pieces.length < PIECES_PER_CHUNK || pieces.at(-1) === " ") continue;
    yield pieces.join("");
    pieces = [];
  }
  yield pieces.join("");
}

/** Returns undefined for a scalar, an empty map and an empty list, which are written in a line. */
function openFrame(value: Json | LazyList, indent: string): Frame | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) || value instanceof LazyList) {
    return value.length === 0 ? undefined : { keys: undefined, length: value.length, indent, get: (at) => value.at(at) as Json, next: 0 };
  }
  const object = value as Readonly<Record<string, Json>>;
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return keys.length === 0 ? undefined : { keys, length: keys.length, indent, get: (at) => object[keys[at] as string] as Json, next: 0 };
}

function encodeScalar(value: Json, indent: string): string {
  if (typeof value === "string") return value.includes("\n") ? encodeLines(value, indent) : encodeText(value);
  if (value !== null && typeof value === "object") return Array.isArray(value) || value instanceof LazyList ? "[]" : "{}";
  return String(value);
}

/** Text that no YAML parser takes for anything else. */
const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./-]*$/;
const RESERVED = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

function encodeText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : encodeQuoted(text);
}

/** Double-quoted YAML is JSON, except for the line separators that YAML 1.1 knows. */
function encodeQuoted(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Implicit keys may not be longer than 1,024 characters. */
const MAX_IMPLICIT_KEY = 128;

function encodeKey(key: string, indent: string): string {
  return key.length > MAX_IMPLICIT_KEY ? `? ${encodeText(key)}\n${indent}` : encodeText(key);
}

/** Characters that a literal block cannot hold. */
const UNPRINTABLE = /[^\t\n\x20-\x7e\xa0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** Encodes text of several lines as a literal block where that can hold it. */
function encodeLines(text: string, indent: string): string {
  // The indentation of a block is that of its first line, which therefore must not start with a space or be empty.
  if (/^[\s]/.test(text) || UNPRINTABLE.test(text)) return encodeQuoted(text);
  const isKept = text.endsWith("\n\n");
  const chomping = isKept ? "+" : text.endsWith("\n") ? "" : "-";
  const content = text.endsWith("\n") ? text.slice(0, -1) : text;
  const depth = indent === "" ? "  " : indent;
  return `|${chomping}\n${content
    .split("\n")
    .map((line) => (line === "" ? "" : `${depth}${line}`))
    .join("\n")}`;
}
