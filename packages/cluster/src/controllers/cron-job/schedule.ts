import { parseGoDuration } from "pintle/internal/go-format";
import { createStringCache } from "pintle/internal/memoize";
import { getZoneOffset } from "../../builtin/index.ts";

/** A parsed cron schedule. */
export interface Schedule {
  /** Returns the first scheduled time after an instant, in milliseconds; undefined if there is none within the next years. */
  next(after: number): number | undefined;
}

const MACROS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const MONTHS = ["", ..."jan feb mar apr may jun jul aug sep oct nov dec".split(" ")];
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const EVERY = "@every ";
const SEARCH_YEARS = 5;
const MAX_CACHED_BYTES = 512 * 1024;
const DAY_MS = 86_400_000;

/** Creates a bounded cache in front of `parseSchedule`. */
export function createScheduleCache(): (text: string, zone: string) => Schedule {
  const cache = createStringCache<Schedule>(MAX_CACHED_BYTES);
  return (text, zone) => {
    const key = `${zone} ${text}`;
    let schedule = cache.get(key);
    if (schedule === undefined) {
      schedule = parseSchedule(text, zone);
      cache.set(key, schedule);
    }
    return schedule;
  };
}

/**
 * Parses a cron schedule: five fields, a macro such as `@daily`, or `@every 1h30m`, evaluated in a time zone. Throws for any other text.
 */
export function parseSchedule(text: string, zone: string): Schedule {
  const zonePrefix = /^(?:CRON_)?TZ=(\S*) /.exec(text);
  const prefixZone = zonePrefix?.[1];
  const expression = text.slice(zonePrefix?.[0].length ?? 0).trim();
  if (expression.startsWith(EVERY)) return parseInterval(expression.slice(EVERY.length));
  const fields = (MACROS[expression] ?? expression).split(/\s+/);
  if (fields.length !== 5) throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  const [minutes, hours, days, months, weekdays] = [
    parseField(fields[0]!, 0, 59, []),
    parseField(fields[1]!, 0, 23, []),
    parseField(fields[2]!, 1, 31, []),
    parseField(fields[3]!, 1, 12, MONTHS),
    parseField(fields[4]!, 0, 6, DAYS),
  ] as const;
  const timeZone = prefixZone ?? zone;
  let cache: { readonly of: number; readonly times: readonly number[] } | undefined;
  const isDay = (date: Date) => {
    const [byDate, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    // If both day fields are restricted, a match of either is enough.
    return months.has(date.getUTCMonth() + 1) && (days.isWildcard || weekdays.isWildcard ? byDate && byWeekday : byDate || byWeekday);
  };
  return {
    next(after) {
      const start = toLocalTime(after, timeZone);
      const first = Date.UTC(start.year, start.month - 1, start.day);
      for (let at = first; at < first + SEARCH_YEARS * 366 * DAY_MS; at += DAY_MS) {
        const date = new Date(at);
        if (!isDay(date)) continue;
        const found = onDay(date).find((instant) => instant > after);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };

  /** The times of the last requested day are cached: the caller iterates over them in order. */
  function onDay(date: Date): readonly number[] {
    if (cache?.of !== date.getTime()) cache = { of: date.getTime(), times: timesOf(date) };
    return cache.times;
  }
  function timesOf(date: Date): readonly number[] {
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const times: number[] = [];
    for (const hour of hours.values) {
      for (const minute of minutes.values) times.push(...toInstants({ year, month, day, hour, minute }, timeZone));
    }
    return times.sort((a, b) => a - b);
  }
}

interface ScheduleField {
  readonly values: readonly number[];
  has(value: number): boolean;
  /** True for `*`, which restricts nothing. */
  readonly isWildcard: boolean;
}

function parseField(text: string, min: number, max: number, names: readonly string[]): ScheduleField {
  const found = new Set<number>();
  let isWildcard = false;
  for (const part of text.split(",")) {
    const [range = "", step] = part.split("/");
    const [low = "", high] = range.split("-");
    const star = low === "*" || low === "?";
    const first = star ? min : parseFieldValue(low, names);
    const last = star ? max : high !== undefined ? parseFieldValue(high, names) : step !== undefined ? max : first;
    const by = step === undefined ? 1 : Number(step);
    if (!(first >= min && last <= max && first <= last && by >= 1)) throw new Error(`not in ${min}-${max}: ${part}`);
    isWildcard ||= star && by === 1;
    for (let value = first; value <= last; value += by) found.add(value);
  }
  return { values: [...found].sort((a, b) => a - b), has: (value) => found.has(value), isWildcard };
}

function parseFieldValue(text: string, names: readonly string[]): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0 && text !== "") return named;
  if (!/^\d+$/.test(text)) throw new Error(`failed to parse int from ${text}`);
  return Number(text);
}

function parseInterval(text: string): Schedule {
  const interval = parseGoDuration(text);
  if ("error" in interval) throw new Error(`failed to parse duration ${EVERY}${text}: ${interval.error}`);
  const seconds = Math.max(1, Math.floor(Number(interval.nanoseconds) / 1e9));
  return { next: (after) => Math.floor(after / 1000) * 1000 + seconds * 1000 };
}

/** A date and time as a clock in the time zone shows it. Months start at 1. */
interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

function toLocalTime(instant: number, zone: string): LocalTime {
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
function toInstants({ year, month, day, hour, minute }: LocalTime, zone: string): readonly number[] {
  const local = Date.UTC(year, month - 1, day, hour, minute);
  if (zone === "UTC") return [local];
  const day_ms = 86_400_000;
  const offsets = new Set([getZoneOffset(local - day_ms, zone), getZoneOffset(local + day_ms, zone)]);
  return [...offsets]
    .filter((by) => getZoneOffset(local - by, zone) === by)
    .map((by) => local - by)
    .sort((a, b) => a - b);
}
