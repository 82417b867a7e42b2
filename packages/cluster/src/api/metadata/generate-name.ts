import type { Random } from "pintle/internal/clock";

// The alphabet of kube-apiserver: without vowels and characters that look alike.
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

export function generateName(prefix: string, random: Random): string {
  let name = prefix.slice(0, MAX_PREFIX_LENGTH);
  for (let n = 0; n < SUFFIX_LENGTH; n++) name += ALPHABET[Math.floor(random() * ALPHABET.length)];
  return name;
}

/** Generates a version 4 UUID. */
export function generateUid(random: Random): string {
  const upTo = (digits: number) => Math.floor(random() * 16 ** digits);
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  const first = upTo(8);
  const parts = [formatHex(Math.floor(first / 0x10000), 4) + formatHex(first % 0x10000, 4)];
  parts.push(
    formatHex(upTo(4), 4),
    `4${formatHex(upTo(3), 3)}`,
    variant + formatHex(upTo(3), 3),
    formatHex(upTo(6), 6) + formatHex(upTo(6), 6),
  );
  // `join` returns a flat string; V8 keeps a concatenation as a tree of its parts.
  return parts.join("-");
}

/** Formats a number with leading zeros. Adding a leading one and cutting it off is faster than padding. */
function formatHex(value: number, digits: number): string {
  return (value + 16 ** digits).toString(16).slice(1);
}
