import type { Json } from "./json.ts";

/** Integers of fewer digits are safe in JSON.parse. */
const UNSAFE_DIGITS = 16;
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** Like JSON.parse, with integers beyond 2^53 as bigint. Text without long numbers is parsed by JSON.parse alone. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return mayContainLongInteger(bytes) ? parseLossless(text) : JSON.parse(text);
}

/**
 * Checks only every 16th byte: a number of 16 digits covers one of them. Also finds numbers inside of strings, which costs only time.
 */
function mayContainLongInteger(bytes: Uint8Array): boolean {
  for (let at = UNSAFE_DIGITS - 1; at < bytes.length; at += UNSAFE_DIGITS) {
    if (!isDigit(bytes[at]!)) continue;
    let first = at;
    while (first > 0 && isDigit(bytes[first - 1]!)) first--;
    let last = at;
    while (last + 1 < bytes.length && isDigit(bytes[last + 1]!)) last++;
    if (last - first + 1 >= UNSAFE_DIGITS && (first === 0 || BYTES_BEFORE_NUMBER.includes(bytes[first - 1]!))) return true;
    at = last;
  }
  return false;
}

/** The bytes that may precede the first digit of a number. */
const BYTES_BEFORE_NUMBER = Buffer.from(":,[- \t\r\n");
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Like JSON.stringify, with bigint written as an integer. With `indent`, each field is on its own line. */
export function stringifyJson(value: unknown, indent?: number): string {
  // Some programs define BigInt.prototype.toJSON, which writes a string.
  if ("toJSON" in BigInt.prototype) return stringifyLossless(value, indent);
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError) || !containsBigint(value, new Set())) throw error;
    return stringifyLossless(value, indent);
  }
}

/** Long integers pass JSON.parse as strings with a mark that does not occur in the text. */
function parseLossless(text: string): unknown {
  const mark = chooseUnusedMark((candidate) => text.includes(candidate));
  let marked = "";
  let found = false;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    marked += text.slice(at, end).replace(LONG_INTEGER, (digits) => {
      if (Number.isSafeInteger(Number(digits))) return digits;
      found = true;
      return `"${mark}${digits}"`;
    });
    at = quote === -1 ? end : findStringEnd(text, quote);
    marked += text.slice(end, at);
  }
  return found ? restoreBigints(JSON.parse(marked), mark) : JSON.parse(text);
}

function findStringEnd(text: string, quote: number): number {
  let end = quote;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Replaces marked strings by bigint, in place: the value was just parsed and is not shared. */
function restoreBigints(value: unknown, mark: string): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const field = record[key];
    if (typeof field === "string" ? field.startsWith(mark) : typeof field === "object") record[key] = restoreBigints(field, mark);
  }
  return record;
}

function stringifyLossless(value: unknown, indent: number | undefined): string {
  const plain = JSON.stringify(value, function (this: any, key: string, item: unknown) {
    return typeof this[key] === "bigint" ? 0 : item;
  });
  const mark = chooseUnusedMark((candidate) => plain.includes(candidate));
  const marking = function (this: any, key: string, item: unknown) {
    const original = this[key];
    return typeof original === "bigint" ? `${mark}${original}` : item;
  };
  const marked = JSON.stringify(value, marking, indent);
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

function chooseUnusedMark(used: (candidate: string) => boolean): string {
  let mark = "bigint:";
  while (used(mark)) mark = `_${mark}`;
  return mark;
}

function containsBigint(value: unknown, above: Set<object>): value is Json {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null || above.has(value)) return false;
  above.add(value);
  const held = Object.values(value).some((item) => containsBigint(item, above));
  above.delete(value);
  return held;
}
