/** Milliseconds, or "250ms", "30s", "5m", "1h". */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h"}`;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function milliseconds(duration: Duration): number {
  const [, amount, unit] = typeof duration === "number" ? [undefined, String(duration), "ms"] : (/^(.+?)(ms|s|m|h)$/.exec(duration) ?? []);
  const value = Number(amount) * UNITS[unit as keyof typeof UNITS];
  if (!Number.isFinite(value) || value < 0)
    throw new TypeError(`${JSON.stringify(duration)} is not a duration: write milliseconds, or "30s", "5m", "1h"`);
  return value;
}
