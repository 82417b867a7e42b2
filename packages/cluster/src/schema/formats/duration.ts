import { parseGoDuration } from "pintle/internal/go-format";

const longUnits: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

/** Returns whether the text has the `duration` format, which also accepts "2 days" and "1 week". */
export function isDuration(text: string): boolean {
  if (!("error" in parseGoDuration(text))) return true;
  for (const [, unit] of text.matchAll(/\d\s*([A-Za-zµ]+)/g)) {
    const name = unit!.toLowerCase();
    if (longUnits.some((names) => names.includes(name) || name.startsWith(names.at(-1)!))) return true;
  }
  return false;
}
