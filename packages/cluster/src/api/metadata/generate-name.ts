import type { Random } from "pintle/queue";

// No vowels and no look-alikes, so that no word and no misreading comes out.
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX = 5;
const MAX_PREFIX = 63 - SUFFIX;

export function generateName(prefix: string, random: Random): string {
  let name = prefix.slice(0, MAX_PREFIX);
  for (let n = 0; n < SUFFIX; n++) name += LETTERS[Math.floor(random() * LETTERS.length)];
  return name;
}

/** A version 4 UUID. */
export function generateUid(random: Random): string {
  const upTo = (digits: number) => Math.floor(random() * 16 ** digits);
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  const first = upTo(8);
  const parts = [hex(Math.floor(first / 0x10000), 4) + hex(first % 0x10000, 4)];
  parts.push(hex(upTo(4), 4), `4${hex(upTo(3), 3)}`, variant + hex(upTo(3), 3), hex(upTo(6), 6) + hex(upTo(6), 6));
  // Joined, it is one piece of memory; a template would be kept as a tree of its parts.
  return parts.join("-");
}

/** With leading zeros. A small integer is written quickly, and a one before it costs less than filling up. */
function hex(value: number, digits: number): string {
  return (value + 16 ** digits).toString(16).slice(1);
}
