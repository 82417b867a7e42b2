import { PintleError } from "pintle/internal/errors";
import { parseDuration } from "./duration.ts";

/** A schedule in UTC, and for how long the window stays open each time. */
export interface MaintenanceWindow {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** As in cron: if both days and weekdays are restricted, one of them is enough. */
  readonly eitherDay: boolean;
  readonly durationMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The 29th of February comes at least once in eight years. */
const MAX_DAYS = 8 * 366 + 1;

/** Parses a schedule of five fields. Throws `PintleError` if a field is out of range. */
export function parseWindow({ cron, duration }: { readonly cron: string; readonly duration: string }): MaintenanceWindow {
  const fields = cron.trim().split(/ +/);
  if (fields.length !== 5) throw invalid(cron, `it has ${fields.length} fields instead of 5`);
  const [minutes, hours, days, months, weekdays] = [
    parseField(cron, fields[0]!, "minute", 0, 59),
    parseField(cron, fields[1]!, "hour", 0, 23),
    parseField(cron, fields[2]!, "day of month", 1, 31),
    parseField(cron, fields[3]!, "month", 1, 12),
    parseField(cron, fields[4]!, "day of week", 0, 7),
  ] as const;
  if (weekdays.has(7)) weekdays.add(0);
  const eitherDay = !fields[2]!.startsWith("*") && !fields[4]!.startsWith("*");
  return { minutes, hours, days, months, weekdays, eitherDay, durationMs: parseDuration(duration) };
}

/** Whether a window is open at a time, in milliseconds since the epoch. */
export function isWindowOpen(window: MaintenanceWindow, now: number): boolean {
  const opening = findOpening(window, Math.floor(now / MINUTE_MS) * MINUTE_MS, -1, now - window.durationMs);
  return opening !== undefined && now < opening + window.durationMs;
}

/** When a window opens next; undefined if its day never comes. */
export function findNextOpening(window: MaintenanceWindow, now: number): number | undefined {
  return findOpening(window, Math.floor(now / MINUTE_MS) * MINUTE_MS + MINUTE_MS, 1, now + MAX_DAYS * DAY_MS);
}

/** The opening that is nearest to `from` in a direction, and not beyond `limit`. Days that do not match are skipped as a whole. */
function findOpening(window: MaintenanceWindow, from: number, step: 1 | -1, limit: number): number | undefined {
  for (let day = Math.floor(from / DAY_MS); step === 1 ? day * DAY_MS <= limit : (day + 1) * DAY_MS > limit; day += step) {
    if (!matchesDay(window, new Date(day * DAY_MS))) continue;
    const times = [...window.hours].flatMap((hour) => [...window.minutes].map((minute) => (hour * 60 + minute) * MINUTE_MS));
    const openings = times.map((time) => day * DAY_MS + time).filter((time) => (step === 1 ? time >= from : time <= from));
    if (openings.length === 0) continue;
    const nearest = step === 1 ? Math.min(...openings) : Math.max(...openings);
    return (step === 1 ? nearest <= limit : nearest > limit) ? nearest : undefined;
  }
  return undefined;
}

function matchesDay({ days, months, weekdays, eitherDay }: MaintenanceWindow, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [day, weekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? day || weekday : day && weekday;
}

function parseField(cron: string, text: string, name: string, min: number, max: number): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, from, to, step] = /^(\*|\d{1,2})(?:-(\d{1,2}))?(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (from === undefined || (from === "*" && to !== undefined)) throw invalid(cron, `${name} ${JSON.stringify(part)} cannot be parsed`);
    const first = from === "*" ? min : Number(from);
    const last = to !== undefined ? Number(to) : from === "*" || step !== undefined ? max : first;
    if (first < min || last > max || first > last || step === "0")
      throw invalid(cron, `${name} ${JSON.stringify(part)} is not in ${min}-${max}`);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function invalid(cron: string, why: string): PintleError {
  return new PintleError("PINTLE8070", `invalid schedule ${JSON.stringify(cron)}: ${why}`);
}
