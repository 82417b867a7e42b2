import { InvalidUsage } from "../errors.ts";

/** A duration: milliseconds, or a text such as "250ms", "30s", "5m", "1h". */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h"}`;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/**
 * Converts a duration to milliseconds. Throws for anything else.
 *
 * @example
 * ```ts
 * import { durationToMilliseconds } from "pintle";
 *
 * export const interval = durationToMilliseconds("90s"); // 90000
 * ```
 */
export function durationToMilliseconds(duration: Duration): number {
  const [, amount, unit] = typeof duration === "number" ? [undefined, String(duration), "ms"] : (/^(.+?)(ms|s|m|h)$/.exec(duration) ?? []);
  const value = Number(amount) * UNITS[unit as keyof typeof UNITS];
  if (!Number.isFinite(value) || value < 0)
    throw new InvalidUsage("PINTLE3003", `${JSON.stringify(duration)} is not a duration: write milliseconds, or "30s", "5m", "1h"`);
  return value;
}

/** Formats a duration for a log line: "62ms", "1.5s". */
export function formatDuration(milliseconds: number): Duration {
  const rounded = Math.round(milliseconds);
  return rounded < 1_000 ? `${rounded}ms` : `${rounded / 1_000}s`;
}
