import { quoteGoString } from "pintle/internal/go-format";
import { DecodeError } from "./decode-error.ts";
import { toFixedOffset } from "./time-zone.ts";

const layout = "2006-01-02T15:04:05Z07:00";
const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** A point in time with nanosecond precision. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Parses RFC 3339 text as Go's time.Parse does. Throws `DecodeError` with its error texts. */
export function parseTime(text: string): Instant {
  const match = timePattern.exec(text);
  if (match === null) throw new DecodeError(`parsing time ${quoteGoString(text)} as "${layout}": ${describeParseFailure(text)}`);
  const [, year, month, day, hour, minute, second] = match.map(Number) as [number, number, number, number, number, number, number];
  const fraction = match[7];
  const out = findOutOfRangeField(year, month, day, hour, minute, second, match);
  if (out !== undefined) throw new DecodeError(`parsing time ${quoteGoString(text)}: ${out} out of range`);
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  const offset = match[8] === undefined ? 0 : toFixedOffset(match[8], match[9]!, match[10]!) / 1000;
  return {
    seconds: utc.getTime() / 1000 - offset,
    nanos: fraction === undefined ? 0 : Number(fraction.slice(0, 9).padEnd(9, "0")),
  };
}

function findOutOfRangeField(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  match: RegExpExecArray,
) {
  if (month < 1 || month > 12) return "month";
  if (day < 1 || day > getDaysInMonth(year, month)) return "day";
  if (hour > 23) return "hour";
  if (minute > 59) return "minute";
  if (second > 59) return "second";
  if (match[9] !== undefined && Number(match[9]) > 24) return "time zone offset hour";
  if (match[10] !== undefined && Number(match[10]) >= 60) return "time zone offset minute";
  return undefined;
}

function getDaysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Formats Unix seconds as RFC 3339 in UTC. */
export function formatUnixSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

const layoutElements: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d\d/, "01"],
  [/^-/, "-"],
  [/^\d\d/, "02"],
  [/^T/, "T"],
  [/^\d\d?/, "15"],
  [/^:/, ":"],
  [/^\d\d/, "04"],
  [/^:/, ":"],
  [/^\d\d(?:[.,]\d+)?/, "05"],
  [/^(?:Z|[+-]\d\d:\d\d)/, "Z07:00"],
];

function describeParseFailure(text: string): string {
  let rest = text;
  for (const [piece, name] of layoutElements) {
    const match = piece.exec(rest);
    if (match === null) return `cannot parse ${quoteGoString(rest)} as "${name}"`;
    rest = rest.slice(match[0].length);
  }
  return `extra text: ${quoteGoString(rest)}`;
}

const microLayout = "2006-01-02T15:04:05.000000Z07:00";
const microPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6})?(.*)$/s;

/** Parses a metav1.MicroTime, which requires all six fractional digits. */
export function parseMicroTime(text: string): Instant {
  const [, , fraction, rest = ""] = microPattern.exec(text) ?? [text, "", ""];
  const createParseError = (part: string, as: string) =>
    new DecodeError(`parsing time ${quoteGoString(text)} as "${microLayout}": cannot parse ${quoteGoString(part)} as "${as}"`);
  if (fraction === undefined) throw createParseError(rest, ".000000");
  if (/^\d/.test(rest)) throw createParseError(rest, "Z07:00");
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(error.message.replace(layout, microLayout));
    throw error;
  }
}
