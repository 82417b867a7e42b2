import type { Json } from "../../kinds/index.ts";

/** Integers of fewer digits are safe in JSON.parse. */
const LONG = 16;
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** As JSON.parse, with integers beyond 2^53 as bigint. Texts without long numbers are parsed by JSON.parse alone. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return mayHoldLongInteger(bytes) ? parseExactly(text) : JSON.parse(text);
}

/**
 * Looks at every 16th byte only: a number long enough to matter covers one of them. Finds some numbers inside of
 * strings too, which only costs time.
 */
function mayHoldLongInteger(bytes: Uint8Array): boolean {
  for (let at = LONG - 1; at < bytes.length; at += LONG) {
    if (!isDigit(bytes[at]!)) continue;
    let first = at;
    while (first > 0 && isDigit(bytes[first - 1]!)) first--;
    let last = at;
    while (last + 1 < bytes.length && isDigit(bytes[last + 1]!)) last++;
    if (last - first + 1 >= LONG && (first === 0 || BEFORE_NUMBER.includes(bytes[first - 1]!))) return true;
    at = last;
  }
  return false;
}

/** What can stand before the first digit of a number. */
const BEFORE_NUMBER = Buffer.from(":,[- \t\r\n");
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** As JSON.stringify, with bigint written as the integer it is; with `indent`, each field on a line of its own. */
export function stringifyJson(value: unknown, indent?: number): string {
  // Some programs teach bigint to write itself as a string.
  if ("toJSON" in BigInt.prototype) return stringifyExactly(value, indent);
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError) || !holdsBigint(value, new Set())) throw error;
    return stringifyExactly(value, indent);
  }
}

/** Long integers travel through JSON.parse as strings with a mark that the text does not hold. */
function parseExactly(text: string): unknown {
  const mark = unusedMark((candidate) => text.includes(candidate));
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
    at = quote === -1 ? end : endOfString(text, quote);
    marked += text.slice(end, at);
  }
  return found ? unmarked(JSON.parse(marked), mark) : JSON.parse(text);
}

function endOfString(text: string, quote: number): number {
  let end = quote;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Changes a value that was parsed just now and belongs to nobody else. */
function unmarked(value: unknown, mark: string): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const field = record[key];
    if (typeof field === "string" ? field.startsWith(mark) : typeof field === "object") record[key] = unmarked(field, mark);
  }
  return record;
}

function stringifyExactly(value: unknown, indent: number | undefined): string {
  const plain = JSON.stringify(value, function (this: any, key: string, item: unknown) {
    return typeof this[key] === "bigint" ? 0 : item;
  });
  const mark = unusedMark((candidate) => plain.includes(candidate));
  const marking = function (this: any, key: string, item: unknown) {
    const original = this[key];
    return typeof original === "bigint" ? `${mark}${original}` : item;
  };
  const marked = JSON.stringify(value, marking, indent);
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

function unusedMark(used: (candidate: string) => boolean): string {
  let mark = "bigint:";
  while (used(mark)) mark = `_${mark}`;
  return mark;
}

function holdsBigint(value: unknown, above: Set<object>): value is Json {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null || above.has(value)) return false;
  above.add(value);
  const held = Object.values(value).some((item) => holdsBigint(item, above));
  above.delete(value);
  return held;
}
