import { trimTrailing } from "pintle/internal/text";
import { getZoneOffset, isTimeZone, toFixedOffset } from "../../decode/index.ts";
import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, Duration, Timestamp, type Value } from "../values/value.ts";

const second = 1_000_000_000n;
const minNanos = -62135596800n * second;
const maxNanos = 253402300799n * second + second - 1n;

export function createDuration(nanos: bigint): Value {
  return nanos < -(2n ** 63n) || nanos >= 2n ** 63n ? createFailure("duration overflow") : new Duration(nanos);
}

export function createTimestamp(nanos: bigint): Value {
  return nanos < minNanos || nanos > maxNanos ? createFailure("timestamp overflow") : new Timestamp(nanos);
}

export function addDuration(time: Timestamp, nanos: bigint): Value {
  return createTimestamp(time.nanos + nanos);
}

/** Formats a timestamp as RFC 3339 in UTC with as many fractional digits as needed. */
export function formatTimestamp({ nanos }: Timestamp): string {
  const fraction = ((nanos % second) + second) % second;
  const date = new Date(Number((nanos - fraction) / 1_000_000n));
  const digits = fraction === 0n ? "" : `.${trimTrailing(fraction.toString().padStart(9, "0"), "0")}`;
  return date.toISOString().replace(/\.\d+Z$/, `${digits}Z`);
}

/** Formats a duration in seconds: "1.5s". */
export function formatDuration({ nanos }: Duration): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = trimTrailing((size % second).toString().padStart(9, "0"), "0");
  return `${sign}${size / second}${fraction === "" ? "" : `.${fraction}`}s`;
}

interface TimestampFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly yearday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

function getFieldsInZone(time: Timestamp, zone: string): TimestampFields | undefined {
  const millis = Number(time.nanos / 1_000_000n) + getOffsetAt(time, zone);
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

/** Returns the UTC offset of a zone ("+02:00", "Europe/Berlin") in milliseconds; NaN if the zone is unknown. */
function getOffsetAt(time: Timestamp, zone: string): number {
  const [, sign, hours, minutes] = /^([+-])?(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined && minutes !== undefined) return toFixedOffset(sign, hours, minutes);
  if (zone === "") return 0;
  return isTimeZone(zone) ? getZoneOffset(Number(time.nanos / 1_000_000n), zone) : Number.NaN;
}

function createGetter(read: (fields: TimestampFields, time: Timestamp) => number) {
  return (time: Timestamp, zone = "UTC"): Value => {
    const fields = getFieldsInZone(time, zone);
    return fields === undefined ? createFailure(`unknown time zone ${zone}`) : BigInt(read(fields, time));
  };
}

const getters: readonly (readonly [fn: string, id: string, read: (fields: TimestampFields, time: Timestamp) => number])[] = [
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

export const timeFunctions: readonly OverloadDefinition[] = [
  ...getters.flatMap(([fn, id, read]): OverloadDefinition[] => [
    [`timestamp_to_${id}`, `timestamp.${fn}(): int`, createGetter(read)],
    [`timestamp_to_${id}_with_tz`, `timestamp.${fn}(string): int`, createGetter(read)],
  ]),
  ["duration_to_hours", "duration.getHours(): int", ({ nanos }: Duration) => nanos / (3600n * second)],
  ["duration_to_minutes", "duration.getMinutes(): int", ({ nanos }: Duration) => nanos / (60n * second)],
  ["duration_to_seconds", "duration.getSeconds(): int", ({ nanos }: Duration) => nanos / second],
  ["duration_to_milliseconds", "duration.getMilliseconds(): int", ({ nanos }: Duration) => nanos / 1_000_000n],
];
