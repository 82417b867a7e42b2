import type { Json } from "../kinds/index.ts";

/** How a quantity is written back: with decimal or binary suffixes, or with an exponent. */
type Notation = "decimal" | "binary" | "exponent";

interface Quantity {
  /** The value is mantissa × 10^exponent, signed. */
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly notation: Notation;
  /** Within 64 bits and not finer than a nano. */
  readonly small: boolean;
  /** The server keeps the text as it is, though it may not be the shortest. */
  readonly verbatim: boolean;
}

const PATTERN = /^([+-]?)(0*)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const DECIMAL: { readonly [suffix: string]: number } = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DECIMAL_SUFFIX = new Map(Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const NANO = -9;
const MAX_INT64 = 2n ** 63n - 1n;

/** The exact value as text, the same for all ways to write it ("0.5" and "500m", "1024Mi" and "1Gi"); undefined when it is none. */
export function quantity(text: Json): string | undefined {
  const parsed = parse(text);
  if (parsed === undefined) return undefined;
  const { mantissa, exponent } = stripFactors(parsed.mantissa, parsed.exponent, 10n);
  return mantissa === 0n ? "0" : `${mantissa}e${exponent}`;
}

/** What a server stores when it is given this quantity ("1024Mi" becomes "1Gi", "1.5" becomes "1500m"); undefined when it is none. */
export function normalQuantity(text: Json): string | undefined {
  const parsed = parse(text);
  if (parsed === undefined) return undefined;
  if (parsed.verbatim) return String(text).trim();
  if (parsed.mantissa === 0n) return "0";
  const whole = parsed.notation === "binary" ? integer(parsed) : undefined;
  if (whole !== undefined && (whole <= -1024n || whole >= 1024n)) {
    const { mantissa, exponent } = stripFactors(whole, 0, 1024n);
    return `${mantissa}${BINARY[exponent] ?? ""}`;
  }
  let { mantissa, exponent } = stripFactors(parsed.mantissa, parsed.exponent, 10n);
  for (; exponent % 3 !== 0; exponent--) mantissa *= 10n;
  if (parsed.notation === "exponent") return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${DECIMAL_SUFFIX.get(exponent) ?? ""}`;
}

function parse(text: Json): Quantity | undefined {
  if (typeof text !== "string" && typeof text !== "number" && typeof text !== "bigint") return undefined;
  const written = String(text).trim();
  const match = written === "" ? null : PATTERN.exec(written);
  if (match === null) return undefined;
  const [, sign, zeros, whole = "", fraction = "", suffix = ""] = match;
  const digits = (whole === "" ? "0" : whole) + fraction;
  const notation = suffix.endsWith("i") ? "binary" : suffix in DECIMAL ? "decimal" : "exponent";
  const read = notation === "binary" ? binary(digits, fraction.length, suffix) : decimal(digits, fraction.length, suffix, notation);
  // A suffix alone counts as zero, but only where the server has no need to look at it twice.
  if (!read.small && `${zeros}${whole}${fraction}` === "") return undefined;
  return sign === "-" ? { ...read, mantissa: -read.mantissa } : read;
}

function decimal(digits: string, places: number, suffix: string, notation: Notation): Quantity {
  const exponent = (notation === "decimal" ? DECIMAL[suffix]! : Number(suffix.slice(1))) - places;
  const small = digits.length <= 18 && exponent >= NANO;
  const verbatim = small && exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return { ...atLeastNano(BigInt(digits), exponent), notation, small, verbatim };
}

function binary(digits: string, places: number, suffix: string): Quantity {
  const power = BINARY.indexOf(suffix);
  const count = BigInt(digits);
  const small = places === 0 && digits.length + 3 * power <= 14;
  if (small) return { mantissa: count * 1024n ** BigInt(power), exponent: 0, notation: "binary", small, verbatim: (count & 7n) !== 0n };
  const { mantissa, exponent } = atLeastNano(count * 1024n ** BigInt(power), -places);
  const unit = 10n ** BigInt(-exponent);
  if (mantissa > MAX_INT64 * unit) return { mantissa: MAX_INT64, exponent: 0, notation: "binary", small, verbatim: false };
  return { mantissa, exponent, notation: mantissa > 0n && mantissa < unit ? "decimal" : "binary", small, verbatim: false };
}

/** Whoever asks for a little gets a little: what is finer than a nano is rounded up. */
function atLeastNano(mantissa: bigint, exponent: number): { mantissa: bigint; exponent: number } {
  if (exponent >= NANO || mantissa === 0n) return { mantissa, exponent: Math.max(exponent, NANO) };
  const surplus = NANO - exponent;
  // More digits to cut than there are: only the rounding up is left.
  if (surplus > mantissa.toString().length) return { mantissa: 1n, exponent: NANO };
  const unit = 10n ** BigInt(surplus);
  return { mantissa: (mantissa + unit - 1n) / unit, exponent: NANO };
}

function integer({ mantissa, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return mantissa * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return mantissa % unit === 0n ? mantissa / unit : undefined;
}

function stripFactors(mantissa: bigint, exponent: number, factor: bigint): { mantissa: bigint; exponent: number } {
  let rest = mantissa;
  let times = 0;
  for (; rest !== 0n && rest % factor === 0n; times++) rest /= factor;
  return { mantissa: rest, exponent: exponent + times };
}
