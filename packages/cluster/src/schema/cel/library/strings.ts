import { GO_ESCAPES } from "pintle/internal/go-format";
import { findAllMatches, type MatchBudget, matchesPattern } from "../../re2/index.ts";
import type { OverloadDefinition } from "../check/functions.ts";
import { countCodePoints, toCodePointIndex, toUnits } from "../values/code-points.ts";
import { createFailure, type ListValue, PlainList, type Value } from "../values/value.ts";
import { formatString } from "./string-format.ts";

/** Splits a string into code points, which is how CEL counts positions. */
const toCodePoints = (text: string) => [...text];

function substring(text: string, from: bigint, to?: bigint): Value {
  const size = countCodePoints(text);
  const end = to ?? BigInt(size);
  if (from > end && to !== undefined) return createFailure(`invalid substring range. start: ${from}, end: ${to}`);
  for (const position of to === undefined ? [from] : [from, to]) {
    if (position < 0n || position > size) return createFailure(`index out of range: ${position}`);
  }
  return text.slice(toUnits(text, Number(from)), toUnits(text, Number(end)));
}

/** Finds a text in linear time, unlike a comparison at every position. Positions count code points. */
function indexOf(text: string, part: string, offset = 0n): Value {
  if (part === "") return offset;
  if (offset < 0n) return createFailure(`index out of range: ${offset}`);
  const start = toUnits(text, Number(offset));
  const found = start === undefined ? -1 : text.indexOf(part, start);
  return found === -1 ? -1n : BigInt(toCodePointIndex(text, found));
}

function lastIndexOf(text: string, part: string, offset?: bigint): Value {
  const size = BigInt(countCodePoints(text));
  if (part === "") return offset ?? size;
  if (offset === undefined && part.length > text.length) return -1n;
  const from = offset ?? size - 1n;
  if (from < 0n) return createFailure(`index out of range: ${from}`);
  if (from >= size) return -1n;
  const found = text.lastIndexOf(part, toUnits(text, Number(from)));
  return found === -1 ? -1n : BigInt(toCodePointIndex(text, found));
}

/** Replaces at most `limit` occurrences; a negative limit means all. */
function replaceString(text: string, old: string, by: string, limit = -1n): string {
  if (limit < 0n) return old === "" ? interleave(toCodePoints(text), by) : text.split(old).join(by);
  let rest = limit;
  if (old === "") return interleave(toCodePoints(text), by, Number(limit));
  const parts = text.split(old);
  let result = parts[0]!;
  for (const part of parts.slice(1)) result += (rest-- > 0n ? by : old) + part;
  return result;
}

/** Puts `by` in front of each of the first `limit` characters, and behind the last one if the limit allows. */
function interleave(chars: readonly string[], by: string, limit = Number.POSITIVE_INFINITY): string {
  if (limit > chars.length) return `${by}${chars.join(by)}${chars.length === 0 ? "" : by}`;
  return `${limit === 0 ? "" : by}${chars.slice(0, limit).join(by)}${chars.slice(limit).join("")}`;
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new PlainList([]);
  const parts = separator === "" ? toCodePoints(text) : text.split(separator);
  if (limit < 0n || parts.length <= limit) return new PlainList(parts);
  const count = Number(limit);
  return new PlainList([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function join(list: ListValue, separator = ""): Value {
  const texts: string[] = [];
  for (const item of list.values()) {
    if (typeof item !== "string") return createFailure(`join: invalid input: ${String(item)}`);
    texts.push(item);
  }
  return texts.join(separator);
}

/** As `strings.quote` of CEL: unlike strconv.Quote, it leaves other characters that are not printable. */
function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  return `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (char) => GO_ESCAPES[char]!)}"`;
}

function matches(budget: MatchBudget, text: string, source: string): Value {
  try {
    return matchesPattern(source, text, budget);
  } catch (error) {
    if (error instanceof SyntaxError) return createFailure(error.message);
    throw error;
  }
}

/** Returns the first `limit` matches in order; a negative limit means all. */
function findAll(budget: MatchBudget, text: string, source: string, limit = -1n): Value {
  try {
    return new PlainList(findAllMatches(source, text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit), budget));
  } catch (error) {
    if (error instanceof SyntaxError) return createFailure(`Illegal regex: ${error.message}`);
    throw error;
  }
}

function find(budget: MatchBudget, text: string, source: string): Value {
  const found = findAll(budget, text, source, 1n);
  if (!(found instanceof PlainList)) return found;
  return found.size === 0 ? "" : found.at(0);
}

const changeAsciiCase = (text: string, change: (part: string) => string, letters: RegExp) => text.replace(letters, change);

export const stringFunctions: readonly OverloadDefinition[] = [
  ["contains_string", "string.contains(string): bool", (text: string, part: string) => text.includes(part)],
  ["ends_with_string", "string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part)],
  ["starts_with_string", "string.startsWith(string): bool", (text: string, part: string) => text.startsWith(part)],
  ["matches_string", "string.matches(string): bool", matches, "regex"],
  ["matches", "matches(string, string): bool", matches, "regex"],
  ["string_char_at_int", "string.charAt(int): string", charAt],
  ["string_index_of_string", "string.indexOf(string): int", indexOf],
  ["string_index_of_string_int", "string.indexOf(string, int): int", indexOf],
  ["string_last_index_of_string", "string.lastIndexOf(string): int", lastIndexOf],
  ["string_last_index_of_string_int", "string.lastIndexOf(string, int): int", lastIndexOf],
  ["string_lower_ascii", "string.lowerAscii(): string", (text: string) => changeAsciiCase(text, (part) => part.toLowerCase(), /[A-Z]+/g)],
  ["string_upper_ascii", "string.upperAscii(): string", (text: string) => changeAsciiCase(text, (part) => part.toUpperCase(), /[a-z]+/g)],
  ["string_replace_string_string", "string.replace(string, string): string", replaceString],
  ["string_replace_string_string_int", "string.replace(string, string, int): string", replaceString],
  ["string_split_string", "string.split(string): list(string)", split],
  ["string_split_string_int", "string.split(string, int): list(string)", split],
  ["string_substring_int", "string.substring(int): string", substring],
  ["string_substring_int_int", "string.substring(int, int): string", substring],
  ["string_trim", "string.trim(): string", trimSpace],
  ["string_format", "string.format(list(dyn)): string", formatString],
  ["strings_quote", "strings.quote(string): string", quote],
  ["list_join", "list(string).join(): string", join],
  ["list_join_string", "list(string).join(string): string", join],
  ["string_find_string", "string.find(string): string", find, "regex"],
  ["string_find_all_string", "string.findAll(string): list(string)", findAll, "regex"],
  ["string_find_all_string_int", "string.findAll(string, int): list(string)", findAll, "regex"],
  [
    "string_jsonpatch_escapeKey_string",
    "jsonpatch.escapeKey(string): string",
    (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
  ],
];

/** White space of Go's `unicode.IsSpace`. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start]!)) start++;
  while (end > start && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

function charAt(text: string, index: bigint): Value {
  if (index < 0n || index > countCodePoints(text)) return createFailure(`index out of range: ${index}`);
  const at = text.codePointAt(toUnits(text, Number(index)) as number);
  return at === undefined ? "" : String.fromCodePoint(at);
}
