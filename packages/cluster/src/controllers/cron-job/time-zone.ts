import { getZoneOffset } from "../../builtin/index.ts";

/** A date and time as a clock in the time zone shows it. Months start at 1. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export function toLocalTime(instant: number, zone: string): LocalTime {
  const local = new Date(instant + getZoneOffset(instant, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
  };
}

/** Returns the instants at which a clock in the zone shows this time: none if daylight saving skips it, two if it repeats it. */
export function toInstants({ year, month, day, hour, minute }: LocalTime, zone: string): readonly number[] {
  const local = Date.UTC(year, month - 1, day, hour, minute);
  if (zone === "UTC") return [local];
  const day_ms = 86_400_000;
  const offsets = new Set([getZoneOffset(local - day_ms, zone), getZoneOffset(local + day_ms, zone)]);
  return [...offsets]
    .filter((by) => getZoneOffset(local - by, zone) === by)
    .map((by) => local - by)
    .sort((a, b) => a - b);
}
