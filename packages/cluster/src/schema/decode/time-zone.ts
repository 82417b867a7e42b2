import { createStringCache } from "pintle/internal/memoize";

/** Offsets of time zones from UTC: fixed offsets such as "+02:00", and IANA zones such as "Europe/Berlin". */

const MIB = 1024 * 1024;
const FORMAT_BYTES = 32 * 1024;
/** Formatters by zone; creating one takes much longer than using it. Names differ in case only: clients can make any number of them. */
const formats = createStringCache<Intl.DateTimeFormat>(4 * MIB, () => FORMAT_BYTES);

function getFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

/** Returns whether the text is a known IANA time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    getFormat(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns the offset of an IANA zone from UTC at an instant, in milliseconds. Throws `RangeError` if the zone is unknown. */
export function getZoneOffset(instant: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of getFormat(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/** Returns a fixed offset from UTC in milliseconds; `sign` is "-" or anything else for "+". */
export function toFixedOffset(sign: string | undefined, hours: string, minutes: string): number {
  return (sign === "-" ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}
