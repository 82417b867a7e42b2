/** A moment as the clock on the wall shows it. Months from 1, Sunday is 0. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string): Intl.DateTimeFormat {
  let known = formats.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, known);
  }
  return known;
}

/** True when the zone is one: "Europe/Berlin". */
export function isZone(zone: string): boolean {
  try {
    format(zone);
    return true;
  } catch {
    return false;
  }
}

/** How far the wall is ahead of UTC at an instant. Milliseconds. */
export function offset(instant: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of format(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

export function wallTime(instant: number, zone: string): WallTime {
  const local = new Date(instant + offset(instant, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
  };
}

/** The instants at which the wall shows this time: none when it is skipped in spring, two when it comes twice in autumn. */
export function instantsOf({ year, month, day, hour, minute }: WallTime, zone: string): readonly number[] {
  const local = Date.UTC(year, month - 1, day, hour, minute);
  if (zone === "UTC") return [local];
  const day_ms = 86_400_000;
  const ahead = new Set([offset(local - day_ms, zone), offset(local + day_ms, zone)]);
  return [...ahead]
    .filter((by) => offset(local - by, zone) === by)
    .map((by) => local - by)
    .sort((a, b) => a - b);
}
