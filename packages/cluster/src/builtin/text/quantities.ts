import { normalQuantity, quantity } from "pintle/merge";

/** The same few quantities are asked about all the time. */
const known = new Map<string, bigint>();
const MAX_KNOWN = 4096;

/** The exact value in billionths, the finest the server keeps; 0 for what is no quantity. */
export function nanos(text: string): bigint {
  let value = known.get(text);
  if (value === undefined) {
    value = nanosOf(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, value);
  }
  return value;
}

function nanosOf(text: string): bigint {
  const [mantissa = "0", exponent = "0"] = (quantity(text) ?? "0").split("e");
  const places = Number(exponent) + 9;
  return places >= 0 ? BigInt(mantissa) * 10n ** BigInt(places) : BigInt(mantissa) / 10n ** BigInt(-places);
}

/** Negative, zero or positive, as for sorting. */
export function compareQuantities(a: string, b: string): number {
  const difference = nanos(a) - nanos(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Written in the notation of the first. */
export function addQuantities(a: string, b: string): string {
  const sum = nanos(a) + nanos(b);
  const kibi = 1024n * 10n ** 9n;
  const text = a.endsWith("i") && sum % kibi === 0n ? `${sum / kibi}Ki` : `${sum}n`;
  return normalQuantity(text) ?? text;
}

export function isSubMilli(text: string): boolean {
  return nanos(text) % 1_000_000n !== 0n;
}

export function roundedUpToMilli(text: string): string {
  const value = nanos(text);
  const milli = value / 1_000_000n + (value > 0n ? 1n : 0n);
  return normalQuantity(`${milli}m`) ?? text;
}
