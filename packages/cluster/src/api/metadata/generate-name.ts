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
  const part = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  // Joined, it is one piece of memory; a template would be kept as a tree of its parts.
  return [part(8), part(4), `4${part(3)}`, `${variant}${part(3)}`, `${part(6)}${part(6)}`].join("-");
}
