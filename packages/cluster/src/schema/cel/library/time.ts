import type { Declared } from "../check/functions.ts";
import { Duration, fail, Timestamp, type Value } from "../values/value.ts";

const second = 1_000_000_000n;
const minNanos = -62135596800n * second;
const maxNanos = 253402300799n * second + second - 1n;

export function toDuration(nanos: bigint): Value {
  return nanos < -(2n ** 63n) || nanos >= 2n ** 63n ? fail("duration overflow") : new Duration(nanos);
}

export function toTimestamp(nanos: bigint): Value {
  return nanos < minNanos || nanos > maxNanos ? fail("timestamp overflow") : new Timestamp(nanos);
}

export function addDuration(time: Timestamp, nanos: bigint): Value {
  return toTimestamp(time.nanos + nanos);
}

/** RFC 3339 in UTC with as many digits of a second as there are. */
export function timestampText({ nanos }: Timestamp): string {
  const fraction = ((nanos % second) + second) % second;
  const date = new Date(Number((nanos - fraction) / 1_000_000n));
  const digits = fraction === 0n ? "" : `.${fraction.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return date.toISOString().replace(/\.\d+Z$/, `${digits}Z`);
}

/** Seconds, as "1.5s". */
export function durationText({ nanos }: Duration): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % second).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${size / second}${fraction === "" ? "" : `.${fraction}`}s`;
}

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly yearday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

function fieldsIn(time: Timestamp, zone: string): Fields | undefined {
  const millis = Number(time.nanos / 1_000_000n) + offsetMillis(time, zone);
  if (Number.isNaN(millis)) return undefined;
  const date = new Date(millis);
  const startOfYear = Date.UTC(date.getUTCFullYear(), 0, 1);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    yearday: Math.floor((millis - startOfYear) / 86_400_000),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  };
}

/** How far a zone ("+02:00", "Europe/Berlin") is ahead of UTC; NaN when there is no such zone. */
function offsetMillis(time: Timestamp, zone: string): number {
  if (zone === "" || zone === "UTC") return 0;
  const fixed = /^([+-])?(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  try {
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    }).formatToParts(new Date(Number(time.nanos / 1_000_000n)));
    const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return local - Math.floor(Number(time.nanos / second)) * 1000;
  } catch {
    return Number.NaN;
  }
}

function getter(read: (fields: Fields, time: Timestamp) => number) {
  return (time: Timestamp, zone = "UTC"): Value => {
    const fields = fieldsIn(time, zone);
    return fields === undefined ? fail(`unknown time zone ${zone}`) : BigInt(read(fields, time));
  };
}

const getters: readonly (readonly [fn: string, id: string, read: (fields: Fields, time: Timestamp) => number])[] = [
  ["getFullYear", "year", ({ year }) => year],
  ["getMonth", "month", ({ month }) => month],
  ["getDayOfYear", "day_of_year", ({ yearday }) => yearday],
  ["getDayOfMonth", "day_of_month", ({ day }) => day - 1],
  ["getDate", "day_of_month_1_based", ({ day }) => day],
  ["getDayOfWeek", "day_of_week", ({ weekday }) => weekday],
  ["getHours", "hours", ({ hours }) => hours],
  ["getMinutes", "minutes", ({ minutes }) => minutes],
  ["getSeconds", "seconds", ({ seconds }) => seconds],
  ["getMilliseconds", "milliseconds", (_, { nanos }) => Number((((nanos % second) + second) % second) / 1_000_000n)],
];

export const time: readonly Declared[] = [
  ...getters.flatMap(([fn, id, read]): Declared[] => [
    [`timestamp_to_${id}`, `timestamp.${fn}(): int`, getter(read)],
    [`timestamp_to_${id}_with_tz`, `timestamp.${fn}(string): int`, getter(read)],
  ]),
  ["duration_to_hours", "duration.getHours(): int", ({ nanos }: Duration) => nanos / (3600n * second)],
  ["duration_to_minutes", "duration.getMinutes(): int", ({ nanos }: Duration) => nanos / (60n * second)],
  ["duration_to_seconds", "duration.getSeconds(): int", ({ nanos }: Duration) => nanos / second],
  ["duration_to_milliseconds", "duration.getMilliseconds(): int", ({ nanos }: Duration) => nanos / 1_000_000n],
];
