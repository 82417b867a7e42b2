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

const HEX = Buffer.from("0123456789abcdef");
/** The text of the UUID that is being generated. Reused, because each request needs one or two, and concatenation would cost a dozen strings. */
const uuid = Buffer.from("00000000-0000-4000-8000-000000000000");

/** Generates a version 4 UUID. */
export function generateUid(random: Random): string {
  const upTo = (digits: number) => Math.floor(random() * 16 ** digits);
  const variant = 8 + Math.floor(random() * 4);
  writeHex(upTo(8), 0, 8);
  writeHex(upTo(4), 9, 4);
  writeHex(upTo(3), 15, 3);
  writeHex(variant, 19, 1);
  writeHex(upTo(3), 20, 3);
  writeHex(upTo(6), 24, 6);
  writeHex(upTo(6), 30, 6);
  return uuid.toString("latin1");
}

/** Writes a number below 2^32 with leading zeros. */
function writeHex(value: number, at: number, digits: number): void {
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    uuid[i] = HEX[rest & 15]!;
    rest >>>= 4;
  }
}
