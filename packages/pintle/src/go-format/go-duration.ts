/** A duration parsed as Go's `time.ParseDuration` does, or the text of its error. */
export type ParsedGoDuration = { readonly nanoseconds: bigint } | { readonly error: string };

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LIMIT = 2n ** 63n;
/** Digits of 2^63. */
const MAX_DIGITS = 19;
const UNSIGNED_NUMBER = /(\d*)(?:\.(\d*))?/y;
const UNIT = /[^\d.]+/y;

/** Parses a duration such as "1h30m", "-1.5h" or "0", in linear time. */
export function parseGoDuration(text: string): ParsedGoDuration {
  const isNegative = text.startsWith("-");
  let at = isNegative || text.startsWith("+") ? 1 : 0;
  if (text.length === at) return invalidDuration(text);
  if (text.length === at + 1 && text[at] === "0") return { nanoseconds: 0n };
  let total = 0n;
  while (at < text.length) {
    UNSIGNED_NUMBER.lastIndex = at;
    const [number, whole = "", fraction = ""] = UNSIGNED_NUMBER.exec(text)!;
    if (whole === "" && fraction === "") return invalidDuration(text);
    at += number.length;
    UNIT.lastIndex = at;
    const unit = UNIT.exec(text)?.[0];
    const amount = parseDigits(whole);
    if (amount === undefined) return invalidDuration(text);
    if (unit === undefined) return { error: `time: missing unit in duration ${quoteBytes(text)}` };
    const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit]! : undefined;
    if (scale === undefined) return { error: `time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}` };
    total += amount * scale + scaleFraction(fraction, scale);
    if (total > LIMIT) return invalidDuration(text);
    at += unit.length;
  }
  if (isNegative) return { nanoseconds: -total };
  return total === LIMIT ? invalidDuration(text) : { nanoseconds: total };
}

function invalidDuration(text: string): ParsedGoDuration {
  return { error: `time: invalid duration ${quoteBytes(text)}` };
}

/** Returns the value of the digits; undefined if it is greater than 2^63. */
function parseDigits(digits: string): bigint | undefined {
  const start = countLeadingZeros(digits);
  if (digits.length - start > MAX_DIGITS) return undefined;
  const value = BigInt(digits.slice(start));
  return value > LIMIT ? undefined : value;
}

/** Go reads as many digits as fit, computes in float64 and rounds down. */
function scaleFraction(fraction: string, scale: bigint): bigint {
  const start = countLeadingZeros(fraction);
  let end = Math.min(fraction.length, start + MAX_DIGITS);
  if (BigInt(fraction.slice(start, end)) > LIMIT) end--;
  return BigInt(Math.floor(Number(fraction.slice(start, end)) * (Number(scale) / 10 ** end)));
}

function countLeadingZeros(digits: string): number {
  let count = 0;
  while (digits[count] === "0") count++;
  return count;
}

/** Quotes as the `time` package does: bytes that are not printable ASCII are escaped. */
function quoteBytes(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/[^ -\x7f]/gu, (char) => {
    return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
  return `"${escaped}"`;
}
