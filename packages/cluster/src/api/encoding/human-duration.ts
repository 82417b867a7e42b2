const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Formats a duration as kubectl's AGE column does: `5s`, `3m20s`, `26h`, `3d4h`, `2y33d`. */
export function formatHumanDuration(ms: number): string {
  if (ms < -SECOND) return "<invalid>";
  const count = (unit: number) => Math.floor(Math.max(0, ms) / unit);
  const formatTwoUnits = (big: number, bigName: string, small: number, smallName: string) => {
    const rest = Math.floor((ms % big) / small);
    return rest === 0 ? `${count(big)}${bigName}` : `${count(big)}${bigName}${rest}${smallName}`;
  };
  if (ms < 2 * MINUTE) return `${count(SECOND)}s`;
  if (ms < 10 * MINUTE) return formatTwoUnits(MINUTE, "m", SECOND, "s");
  if (ms < 3 * HOUR) return `${count(MINUTE)}m`;
  if (ms < 8 * HOUR) return formatTwoUnits(HOUR, "h", MINUTE, "m");
  if (ms < 2 * DAY) return `${count(HOUR)}h`;
  if (ms < 8 * DAY) return formatTwoUnits(DAY, "d", HOUR, "h");
  if (ms < 2 * YEAR) return `${count(DAY)}d`;
  if (ms < 8 * YEAR) return formatTwoUnits(YEAR, "y", DAY, "d");
  return `${count(YEAR)}y`;
}

/** Formats how long ago a timestamp was; `<unknown>` without one. */
export function formatAge(timestamp: string | undefined, now: number): string {
  return timestamp === undefined ? "<unknown>" : formatHumanDuration(now - Date.parse(timestamp));
}
