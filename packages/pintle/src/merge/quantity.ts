import type { Json } from "../kinds/index.ts";
import { trimTrailing } from "../text/index.ts";

/** How a quantity is written: with decimal or binary suffixes, or with an exponent. */
type QuantityNotation = "decimal" | "binary" | "exponent";

interface ParsedQuantity {
  /** The signed value is mantissa × 10^exponent. */
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly notation: QuantityNotation;
  /** Whether it fits into 64 bits and is not finer than a nano. */
  readonly small: boolean;
  /** Whether the API server stores the text as it is, although it may not be the shortest form. */
  readonly verbatim: boolean;
}

const QUANTITY_PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const DECIMAL_EXPONENTS: { readonly [suffix: string]: number } = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DECIMAL_SUFFIXES = new Map(Object.entries(DECIMAL_EXPONENTS).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const NANO_EXPONENT = -9;
const MAX_INT64 = 2n ** 63n - 1n;
/** Longer texts are no quantities: arithmetic on their digits would take more than linear time. */
const MAX_QUANTITY_LENGTH = 1024;
/** Exponents of Go's decimals have 32 bits. */
const MAX_EXPONENT = 2 ** 31 - 1;
/** The largest power of ten that is computed: quantities beyond it count as this large. */
const MAX_POWER = 512;

/** The exact value of a quantity: mantissa × 10^exponent, with the smallest mantissa. */
export interface ExactQuantity {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Parses a quantity in any notation; undefined for text that is not a quantity. */
export function parseQuantity(text: Json): ExactQuantity | undefined {
  const parsed = parseNotation(text);
  if (parsed === undefined) return undefined;
  return parsed.mantissa === 0n ? { mantissa: 0n, exponent: 0 } : stripFactors(parsed.mantissa, parsed.exponent, 10n);
}

/**
 * Returns the exact value as text, the same for all notations ("0.5" and "500m", "1024Mi" and "1Gi"); undefined for text that is not a
 * quantity.
 */
export function quantityValue(text: Json): string | undefined {
  const parsed = parseQuantity(text);
  if (parsed === undefined) return undefined;
  return parsed.mantissa === 0n ? "0" : `${parsed.mantissa}e${parsed.exponent}`;
}

/**
 * Returns the canonical form that the API server stores ("1024Mi" becomes "1Gi", "1.5" becomes "1500m"); undefined for text that is not a
 * quantity.
 */
export function canonicalizeQuantity(text: Json): string | undefined {
  const parsed = parseNotation(text);
  if (parsed === undefined) return undefined;
  if (parsed.verbatim) return String(text).trim();
  if (parsed.mantissa === 0n) return "0";
  const whole = parsed.notation === "binary" ? toInteger(parsed) : undefined;
  if (whole !== undefined && (whole <= -1024n || whole >= 1024n)) {
    const { mantissa, exponent } = stripFactors(whole, 0, 1024n);
    return `${mantissa}${BINARY_SUFFIXES[exponent] ?? ""}`;
  }
  let { mantissa, exponent } = stripFactors(parsed.mantissa, parsed.exponent, 10n);
  for (; exponent % 3 !== 0; exponent--) mantissa *= 10n;
  if (parsed.notation === "exponent") return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${DECIMAL_SUFFIXES.get(exponent) ?? ""}`;
}

function parseNotation(text: Json): ParsedQuantity | undefined {
  if (typeof text !== "string" && typeof text !== "number" && typeof text !== "bigint") return undefined;
  if (typeof text === "string" && text.length > MAX_QUANTITY_LENGTH) return undefined;
  const written = String(text).trim();
  const match = written === "" ? null : QUANTITY_PATTERN.exec(written);
  if (match === null) return undefined;
  const [, sign, integer = "", fraction = "", suffix = ""] = match;
  const whole = integer.replace(/^0+/, "");
  const digits = (whole === "" ? "0" : whole) + fraction;
  if (suffix.length > 1 && Math.abs(Number(suffix.slice(1))) > MAX_EXPONENT) return undefined;
  const notation = suffix.endsWith("i") ? "binary" : suffix in DECIMAL_EXPONENTS ? "decimal" : "exponent";
  const read =
    notation === "binary" ? parseBinary(digits, fraction.length, suffix) : parseDecimal(digits, fraction.length, suffix, notation);
  // A suffix alone is zero, but only on the API server's fast path.
  if (!read.small && `${integer}${fraction}` === "") return undefined;
  return sign === "-" ? { ...read, mantissa: -read.mantissa } : read;
}

function parseDecimal(digits: string, places: number, suffix: string, notation: QuantityNotation): ParsedQuantity {
  const exponent = (notation === "decimal" ? DECIMAL_EXPONENTS[suffix]! : Number(suffix.slice(1))) - places;
  const small = digits.length <= 18 && exponent >= NANO_EXPONENT;
  const verbatim = small && exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return { ...roundUpToNano(BigInt(digits), exponent), notation, small, verbatim };
}

function parseBinary(digits: string, places: number, suffix: string): ParsedQuantity {
  const power = BINARY_SUFFIXES.indexOf(suffix);
  const count = BigInt(digits);
  const small = places === 0 && digits.length + 3 * power <= 14;
  if (small) return { mantissa: count * 1024n ** BigInt(power), exponent: 0, notation: "binary", small, verbatim: (count & 7n) !== 0n };
  const { mantissa, exponent } = roundUpToNano(count * 1024n ** BigInt(power), -places);
  const unit = 10n ** BigInt(-exponent);
  if (mantissa > MAX_INT64 * unit) return { mantissa: MAX_INT64, exponent: 0, notation: "binary", small, verbatim: false };
  return { mantissa, exponent, notation: mantissa > 0n && mantissa < unit ? "decimal" : "binary", small, verbatim: false };
}

/** Rounds values finer than a nano up, so that a small quantity never becomes zero. */
function roundUpToNano(mantissa: bigint, exponent: number): { mantissa: bigint; exponent: number } {
  if (exponent >= NANO_EXPONENT || mantissa === 0n) return { mantissa, exponent: Math.max(exponent, NANO_EXPONENT) };
  const surplus = NANO_EXPONENT - exponent;
  // All digits are cut off: the result is one nano.
  if (surplus > mantissa.toString().length) return { mantissa: 1n, exponent: NANO_EXPONENT };
  const unit = 10n ** BigInt(surplus);
  return { mantissa: (mantissa + unit - 1n) / unit, exponent: NANO_EXPONENT };
}

function toInteger({ mantissa, exponent }: ParsedQuantity): bigint | undefined {
  if (exponent >= 0) return scaleByPowerOfTen(mantissa, exponent);
  const unit = 10n ** BigInt(-exponent);
  return mantissa % unit === 0n ? mantissa / unit : undefined;
}

/** Returns mantissa × 10^places, rounded towards zero. Powers that no memory could hold are cut off. */
export function scaleByPowerOfTen(mantissa: bigint, places: number): bigint {
  const power = 10n ** BigInt(Math.min(Math.abs(places), MAX_POWER));
  return places >= 0 ? mantissa * power : mantissa / power;
}

function stripFactors(mantissa: bigint, exponent: number, factor: bigint): { mantissa: bigint; exponent: number } {
  if (factor === 10n) return stripZeros(mantissa, exponent);
  let rest = mantissa;
  let times = 0;
  for (; rest !== 0n && rest % factor === 0n; times++) rest /= factor;
  return { mantissa: rest, exponent: exponent + times };
}

/** Strips factors of ten in one pass over the digits. */
function stripZeros(mantissa: bigint, exponent: number): { mantissa: bigint; exponent: number } {
  if (mantissa === 0n || mantissa % 10n !== 0n) return { mantissa, exponent };
  const digits = mantissa.toString();
  const kept = trimTrailing(digits, "0");
  return { mantissa: BigInt(kept), exponent: exponent + digits.length - kept.length };
}
