const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const max = 2n ** 63n;

/** time.ParseDuration: "1h30m", "-1.5h", "0". Nanoseconds, or undefined. */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(.*)$/s.exec(text)!;
  const [, sign, body] = match as unknown as [string, string, string];
  if (body === "0") return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)[^\d.]+)+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, number, unit] of body.matchAll(/(\d+\.?\d*|\.\d+)([^\d.]+)/g)) {
    const scale = units[unit!];
    if (scale === undefined) return undefined;
    const [whole, fraction = ""] = number!.split(".") as [string, string?];
    total += BigInt(whole || "0") * scale;
    if (fraction !== "") total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    if (total > max) return undefined;
  }
  if (sign === "-") return -total;
  return total === max ? undefined : total;
}

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

/** The duration format of schemas: also "2 days", "1 week". */
export function isDuration(text: string): boolean {
  if (parseDuration(text) !== undefined) return true;
  for (const [, , unit] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const name = unit!.toLowerCase();
    if (longUnits.some((names) => names.includes(name) || name.startsWith(names.at(-1)!))) return true;
  }
  return false;
}
