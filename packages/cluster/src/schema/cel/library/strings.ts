import { re2 } from "../../pattern.ts";
import type { Declared } from "../check/functions.ts";
import { type Failure, fail, type ListValue, PlainList, type Value } from "../values/value.ts";
import { formatText } from "./format-text.ts";

/** Positions in strings count code points. */
const runes = (text: string) => [...text];

function sliced(text: string, from: bigint, to?: bigint): Value {
  const all = runes(text);
  const end = to ?? BigInt(all.length);
  if (from > end && to !== undefined) return fail(`invalid substring range. start: ${from}, end: ${to}`);
  for (const position of to === undefined ? [from] : [from, to]) {
    if (position < 0n || position > all.length) return fail(`index out of range: ${position}`);
  }
  return all.slice(Number(from), Number(end)).join("");
}

function indexOf(text: string, part: string, offset = 0n): Value {
  if (part === "") return offset;
  if (offset < 0n) return fail(`index out of range: ${offset}`);
  const all = runes(text);
  const wanted = runes(part);
  for (let i = Number(offset); i <= all.length - wanted.length; i++) {
    if (wanted.every((char, j) => all[i + j] === char)) return BigInt(i);
  }
  return -1n;
}

function lastIndexOf(text: string, part: string, offset?: bigint): Value {
  const all = runes(text);
  if (part === "") return offset ?? BigInt(all.length);
  const wanted = runes(part);
  const from = offset ?? BigInt(all.length - 1);
  if (offset === undefined && wanted.length > all.length) return -1n;
  if (from < 0n) return fail(`index out of range: ${from}`);
  if (from >= all.length) return -1n;
  for (let i = Math.min(Number(from), all.length - wanted.length); i >= 0; i--) {
    if (wanted.every((char, j) => all[i + j] === char)) return BigInt(i);
  }
  return -1n;
}

/** At most `limit` replacements; a negative limit is none at all. */
function replaced(text: string, old: string, by: string, limit = -1n): string {
  if (limit < 0n) return old === "" ? surround(runes(text), by) : text.split(old).join(by);
  let rest = limit;
  if (old === "") return surround(runes(text), by, Number(limit));
  const parts = text.split(old);
  let result = parts[0]!;
  for (const part of parts.slice(1)) result += (rest-- > 0n ? by : old) + part;
  return result;
}

function surround(chars: readonly string[], by: string, limit = Number.POSITIVE_INFINITY): string {
  let count = 0;
  const next = () => (count++ < limit ? by : "");
  return chars.reduce((text, char) => text + char + next(), next());
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new PlainList([]);
  const parts = separator === "" ? runes(text) : text.split(separator);
  if (limit < 0n || parts.length <= limit) return new PlainList(parts);
  const count = Number(limit);
  return new PlainList([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function join(list: ListValue, separator = ""): Value {
  const texts: string[] = [];
  for (const item of list.values()) {
    if (typeof item !== "string") return fail(`join: invalid input: ${String(item)}`);
    texts.push(item);
  }
  return texts.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  return `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (char) => escapes[char]!)}"`;
}

function regex(source: string): ReturnType<typeof re2> | Failure {
  try {
    return re2(source);
  } catch (error) {
    if (error instanceof SyntaxError) return fail(error.message);
    throw error;
  }
}

function matches(text: string, source: string): Value {
  const compiled = regex(source);
  return "message" in compiled ? fail(compiled.message) : compiled.test(text);
}

/** All matches in order, at most `limit` of them. */
function findAll(text: string, source: string, limit = -1n): Value {
  const compiled = regex(source);
  if ("message" in compiled) return fail(`Illegal regex: ${compiled.message}`);
  const found: string[] = [];
  const matcher = compiled.matcher(text);
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return new PlainList(found);
}

function find(text: string, source: string): Value {
  const found = findAll(text, source, 1n);
  if (!(found instanceof PlainList)) return found;
  return found.size === 0 ? "" : found.at(0);
}

const asciiCase = (text: string, change: (part: string) => string, letters: RegExp) => text.replace(letters, change);

export const strings: readonly Declared[] = [
  ["contains_string", "string.contains(string): bool", (text: string, part: string) => text.includes(part)],
  ["ends_with_string", "string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part)],
  ["starts_with_string", "string.startsWith(string): bool", (text: string, part: string) => text.startsWith(part)],
  ["matches_string", "string.matches(string): bool", matches],
  ["matches", "matches(string, string): bool", matches],
  ["string_char_at_int", "string.charAt(int): string", charAt],
  ["string_index_of_string", "string.indexOf(string): int", indexOf],
  ["string_index_of_string_int", "string.indexOf(string, int): int", indexOf],
  ["string_last_index_of_string", "string.lastIndexOf(string): int", lastIndexOf],
  ["string_last_index_of_string_int", "string.lastIndexOf(string, int): int", lastIndexOf],
  ["string_lower_ascii", "string.lowerAscii(): string", (text: string) => asciiCase(text, (part) => part.toLowerCase(), /[A-Z]+/g)],
  ["string_upper_ascii", "string.upperAscii(): string", (text: string) => asciiCase(text, (part) => part.toUpperCase(), /[a-z]+/g)],
  ["string_replace_string_string", "string.replace(string, string): string", replaced],
  ["string_replace_string_string_int", "string.replace(string, string, int): string", replaced],
  ["string_split_string", "string.split(string): list(string)", split],
  ["string_split_string_int", "string.split(string, int): list(string)", split],
  ["string_substring_int", "string.substring(int): string", sliced],
  ["string_substring_int_int", "string.substring(int, int): string", sliced],
  ["string_trim", "string.trim(): string", (text: string) => text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, "")],
  ["string_format", "string.format(list(dyn)): string", formatText],
  ["strings_quote", "strings.quote(string): string", quote],
  ["list_join", "list(string).join(): string", join],
  ["list_join_string", "list(string).join(string): string", join],
  ["string_find_string", "string.find(string): string", find],
  ["string_find_all_string", "string.findAll(string): list(string)", findAll],
  ["string_find_all_string_int", "string.findAll(string, int): list(string)", findAll],
  [
    "string_jsonpatch_escapeKey_string",
    "jsonpatch.escapeKey(string): string",
    (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
  ],
];

function charAt(text: string, index: bigint): Value {
  const all = runes(text);
  return index < 0n || index > all.length ? fail(`index out of range: ${index}`) : (all[Number(index)] ?? "");
}
