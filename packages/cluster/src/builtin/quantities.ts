import { createStringCache } from "pintle/internal/memoize";
import { canonicalizeQuantity, parseQuantity, scaleByPowerOfTen } from "pintle/internal/merge";

const MIB = 1024 * 1024;
/** Parsed values of recent quantities; a few values account for most of them. */
const known = createStringCache<bigint>(2 * MIB);

/** Returns the exact value of a quantity in nano-units, the finest unit of Kubernetes; 0 if it is invalid. */
export function nanos(text: string): bigint {
  let value = known.get(text);
  if (value === undefined) {
    value = nanosOf(text);
    known.set(text, value);
  }
  return value;
}

function nanosOf(text: string): bigint {
  const { mantissa, exponent } = parseQuantity(text) ?? { mantissa: 0n, exponent: 0 };
  return scaleByPowerOfTen(mantissa, exponent + 9);
}

/** Compares two quantities; negative, zero or positive. */
export function compareQuantities(a: string, b: string): number {
  const difference = nanos(a) - nanos(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Adds two quantities in the notation of the first. */
export function addQuantities(a: string, b: string): string {
  const sum = nanos(a) + nanos(b);
  const kibi = 1024n * 10n ** 9n;
  const text = a.endsWith("i") && sum % kibi === 0n ? `${sum / kibi}Ki` : `${sum}n`;
  return canonicalizeQuantity(text) ?? text;
}

export function isSubMilli(text: string): boolean {
  return nanos(text) % 1_000_000n !== 0n;
}

export function roundedUpToMilli(text: string): string {
  const value = nanos(text);
  const milli = value / 1_000_000n + (value > 0n ? 1n : 0n);
  return canonicalizeQuantity(`${milli}m`) ?? text;
}
