const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Parses a duration such as `1h30m` into milliseconds. The CRD has checked the text. */
export function parseDuration(text: string): number {
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/([0-9]{1,9})([hms])/g)) sum += Number(count) * UNITS[unit!]!;
  return sum;
}
