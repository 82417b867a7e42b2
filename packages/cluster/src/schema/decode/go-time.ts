import { goQuote } from "../../status/index.ts";
import { DecodeError } from "./decode-error.ts";

const layout = "2006-01-02T15:04:05Z07:00";
const shape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** An instant to the nanosecond. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Reads RFC 3339 text as Go's time.Parse does, with its error texts. */
export function parseTime(text: string): Instant {
  const match = shape.exec(text);
  if (match === null) throw new DecodeError(`parsing time ${goQuote(text)} as "${layout}": ${firstMisfit(text)}`);
  const [, year, month, day, hour, minute, second] = match.map(Number) as [number, number, number, number, number, number, number];
  const fraction = match[7];
  const out = outOfRange(year, month, day, hour, minute, second, match);
  if (out !== undefined) throw new DecodeError(`parsing time ${goQuote(text)}: ${out} out of range`);
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  const offset = match[8] === undefined ? 0 : (match[8] === "-" ? -60 : 60) * (Number(match[9]) * 60 + Number(match[10]));
  return {
    seconds: utc.getTime() / 1000 - offset,
    nanos: fraction === undefined ? 0 : Number(fraction.slice(0, 9).padEnd(9, "0")),
  };
}

function outOfRange(year: number, month: number, day: number, hour: number, minute: number, second: number, match: RegExpExecArray) {
  if (month < 1 || month > 12) return "month";
  if (day < 1 || day > daysIn(year, month)) return "day";
  if (hour > 23) return "hour";
  if (minute > 59) return "minute";
  if (second > 59) return "second";
  if (match[9] !== undefined && Number(match[9]) > 24) return "time zone offset hour";
  if (match[10] !== undefined && Number(match[10]) >= 60) return "time zone offset minute";
  return undefined;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** RFC 3339 in UTC, to the second. */
export function formatSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

const pieces: readonly (readonly [RegExp, string])[] = [
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

function firstMisfit(text: string): string {
  let rest = text;
  for (const [piece, name] of pieces) {
    const match = piece.exec(rest);
    if (match === null) return `cannot parse ${goQuote(rest)} as "${name}"`;
    rest = rest.slice(match[0].length);
  }
  return `extra text: ${goQuote(rest)}`;
}
