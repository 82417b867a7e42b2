import { toUSVString } from "node:util";
import { setOwnProperty } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { BodyDecodeError, TooManyValuesError } from "../body-error.ts";
import { parseJsonExactly } from "./exact-parser.ts";

/** A decoded body and its strict decoding errors, for example `duplicate field "spec.replicas"`. */
export interface DecodedText {
  readonly value: Json;
  readonly strict: readonly string[];
}

/** Go's decoder allows ten times this depth; here every recursive stage of the pipeline must fit into the stack. */
const MAX_DEPTH = 1000;
/** An escaped surrogate, whose other half may be missing. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
/** Integers with sixteen digits may exceed the precision of a double. */
const LONG_NUMBER = /\d{16}/;

/**
 * Decodes JSON as Kubernetes does: 64-bit integers keep all digits (as bigint where a number would lose some), the last of duplicate
 * fields wins and every duplicate is reported, a lone surrogate becomes U+FFFD. Throws `BodyDecodeError` with Go's error text.
 *
 * `JSON.parse` does the work; the exact parser runs only for text that `JSON.parse` would not reproduce. Text with more fields and items than
 * `maxValues` is not parsed: throws `TooManyValuesError`.
 */
export function decodeJson(text: string, maxValues = Number.POSITIVE_INFINITY): DecodedText {
  const { fields, tooDeep } = scanJson(text, maxValues);
  if (tooDeep !== undefined) throw new BodyDecodeError(`invalid character '${text[tooDeep]}' exceeded max depth`);
  if (LONG_NUMBER.test(text)) return parseJsonExactly(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return parseJsonExactly(text);
  }
  if (countFields(value) !== fields) return parseJsonExactly(text);
  return { value: SURROGATE.test(text) ? replaceLoneSurrogates(value) : value, strict: [] };
}

/** Counts the fields of the text and finds where it is nested too deeply; the result is arbitrary for text that is not JSON. */
function scanJson(text: string, maxValues: number): { readonly fields: number; readonly tooDeep: number | undefined } {
  let fields = 0;
  let level = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = findClosingQuote(text, i);
        break;
      case COLON:
        fields++;
        break;
      case COMMA:
        if (++values > maxValues) throw new TooManyValuesError();
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (++level > MAX_DEPTH) return { fields, tooDeep: i };
        if (++values > maxValues) throw new TooManyValuesError();
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        level--;
    }
  }
  return { fields, tooDeep: undefined };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function findClosingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function replaceLoneSurrogates(value: Json): Json {
  if (typeof value === "string") return toUSVString(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(replaceLoneSurrogates);
  const object: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value)) setOwnProperty(object, toUSVString(key), replaceLoneSurrogates(part as Json));
  return object;
}

function countFields(root: Json): number {
  let fields = 0;
  const open: Json[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    // Out of range of a double: the exact parser reports the error.
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
