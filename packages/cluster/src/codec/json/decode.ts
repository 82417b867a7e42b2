import { toUSVString } from "node:util";
import { type Json, setOwn } from "pintle/kinds";
import { BodyError } from "../body-error.ts";
import { parseExactly } from "./parse.ts";

/** A body as a JSON value, and what strict decoding has to say about its text: `duplicate field "spec.replicas"`. */
export interface Decoded {
  readonly value: Json;
  readonly strict: readonly string[];
}

/** Go's decoder goes ten times as deep; here every step of the pipeline must get to the bottom within its stack. */
const MAX_DEPTH = 1000;
/** Half of a pair, escaped, where the other half may be missing. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
/** Sixteen digits may be more than a double holds. */
const LONG_NUMBER = /\d{16}/;

/**
 * Reads JSON as Kubernetes does: integers of 64 bits keep all their digits (as bigint where a number would not), of
 * repeated fields the last one counts, and every repetition is told; half a surrogate pair becomes U+FFFD. Throws
 * BodyError with Go's words.
 *
 * The engine's own parser does the work; the exact one runs only where the text holds something that it would lose.
 */
export function decodeJson(text: string): Decoded {
  const { fields, tooDeep } = measure(text);
  if (tooDeep !== undefined) throw new BodyError(`invalid character '${text[tooDeep]}' exceeded max depth`);
  if (LONG_NUMBER.test(text)) return parseExactly(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return parseExactly(text);
  }
  if (countFields(value) !== fields) return parseExactly(text);
  return { value: SURROGATE.test(text) ? wellFormed(value) : value, strict: [] };
}

/** How many fields the text has, and where it goes deeper than it may; of text that is not JSON, some numbers. */
function measure(text: string): { readonly fields: number; readonly tooDeep: number | undefined } {
  let fields = 0;
  let level = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = closingQuote(text, i);
        break;
      case COLON:
        fields++;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (++level > MAX_DEPTH) return { fields, tooDeep: i };
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        level--;
    }
  }
  return { fields, tooDeep: undefined };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function wellFormed(value: Json): Json {
  if (typeof value === "string") return toUSVString(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(wellFormed);
  const object: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value)) setOwn(object, toUSVString(key), wellFormed(part as Json));
  return object;
}

function countFields(root: Json): number {
  let fields = 0;
  const open: Json[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    // No double holds it, and the exact reader says so.
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return -1;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value as readonly Json[]) open.push(item);
      continue;
    }
    for (const key in value) {
      fields++;
      open.push((value as Record<string, Json>)[key]!);
    }
  }
  return fields;
}
