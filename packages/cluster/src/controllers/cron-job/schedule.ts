import { instantsOf, wallTime } from "./wall-clock.ts";

/** When something recurs. */
export interface Schedule {
  /** The first time after an instant; undefined when there is none for years. Milliseconds. */
  next(after: number): number | undefined;
}

const NICKNAMES: Readonly<Record<string, string>> = {
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
const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const YEARS = 5;
const MOST = 1000;
const DAY = 86_400_000;

/** As `schedule`, for somebody who asks for the same ones again and again. */
export function schedules(): (text: string, zone: string) => Schedule {
  const known = new Map<string, Schedule>();
  return (text, zone) => {
    const key = `${zone} ${text}`;
    const made = known.get(key) ?? schedule(text, zone);
    if (known.size >= MOST) known.clear();
    known.set(key, made);
    return made;
  };
}

/** Reads a cron schedule: five fields, a nickname, or "@every 1h30m", by the clock of a zone. Throws for any other text. */
export function schedule(text: string, zone: string): Schedule {
  const [, own, plain = text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text) ?? [];
  const every = /^@every (.+)$/.exec(plain)?.[1];
  if (every !== undefined) return everySoOften(every);
  const fields = (NICKNAMES[plain] ?? plain).trim().split(/\s+/);
  if (fields.length !== 5) throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  const [minutes, hours, days, months, weekdays] = [
    field(fields[0]!, 0, 59, []),
    field(fields[1]!, 0, 23, []),
    field(fields[2]!, 1, 31, []),
    field(fields[3]!, 1, 12, MONTHS),
    field(fields[4]!, 0, 6, DAYS),
  ] as const;
  const where = own ?? zone;
  let known: { readonly of: number; readonly times: readonly number[] } | undefined;
  const isDay = (date: Date) => {
    const [byDate, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    // Where both are restricted, one of them is enough.
    return months.has(date.getUTCMonth() + 1) && (days.any || weekdays.any ? byDate && byWeekday : byDate || byWeekday);
  };
  return {
    next(after) {
      const start = wallTime(after, where);
      const first = Date.UTC(start.year, start.month - 1, start.day);
      for (let at = first; at < first + YEARS * 366 * DAY; at += DAY) {
        const date = new Date(at);
        if (!isDay(date)) continue;
        const found = onDay(date).find((instant) => instant > after);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };

  /** Whoever asks for one time of a day asks for the next. */
  function onDay(date: Date): readonly number[] {
    if (known?.of !== date.getTime()) known = { of: date.getTime(), times: timesOf(date) };
    return known.times;
  }
  function timesOf(date: Date): readonly number[] {
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const times: number[] = [];
    for (const hour of hours.values) {
      for (const minute of minutes.values) times.push(...instantsOf({ year, month, day, hour, minute }, where));
    }
    return times.sort((a, b) => a - b);
  }
}

interface Field {
  readonly values: readonly number[];
  has(value: number): boolean;
  /** Written as a star: it restricts nothing. */
  readonly any: boolean;
}

function field(text: string, min: number, max: number, names: readonly string[]): Field {
  const found = new Set<number>();
  let any = false;
  for (const part of text.split(",")) {
    const [range = "", step] = part.split("/");
    const [low = "", high] = range.split("-");
    const star = low === "*" || low === "?";
    const first = star ? min : numberOf(low, names);
    const last = star ? max : high !== undefined ? numberOf(high, names) : step !== undefined ? max : first;
    const by = step === undefined ? 1 : Number(step);
    if (!(first >= min && last <= max && first <= last && by >= 1)) throw new Error(`not in ${min}-${max}: ${part}`);
    any ||= star && by === 1;
    for (let value = first; value <= last; value += by) found.add(value);
  }
  return { values: [...found].sort((a, b) => a - b), has: (value) => found.has(value), any };
}

function numberOf(text: string, names: readonly string[]): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0 && text !== "") return named;
  if (!/^\d+$/.test(text)) throw new Error(`failed to parse int from ${text}`);
  return Number(text);
}

function everySoOften(text: string): Schedule {
  let delay = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)) delay += Number(amount) * UNITS[unit!]!;
  const seconds = Math.max(1, Math.floor(delay / 1000));
  return { next: (after) => Math.floor(after / 1000) * 1000 + seconds * 1000 };
}
