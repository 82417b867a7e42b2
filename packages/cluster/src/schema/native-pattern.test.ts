import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { nativePattern } from "./native-pattern.ts";

describe("patterns run natively", () => {
  test.each([
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$",
    "^\\d+(\\.\\d+)?(Ki|Mi|Gi|m)?$",
  ])("%s", (source) => expect(nativePattern(source)).toBeInstanceOf(RegExp));
});

describe("patterns are left to RE2", () => {
  test.each([
    ["whose repetitions overlap", "^(a+)+$"],
    ["whose repetitions overlap, counted", "^(a{1,30}){1,30}$"],
    ["with alternatives that overlap", "^(a|aa)*$"],
    ["with flags", "(?i)abc"],
    ["with named classes", "[[:alpha:]]"],
    ["with Unicode classes", "\\pL+"],
    ["with a look-ahead, an error", "a(?=b)"],
    ["with a back-reference, an error", "(a)\\1"],
    ["with a possessive quantifier, an error", "a*+"],
    ["with too big a count, an error", "a{1001}"],
    ["with counts that are too big together, an error", "(a{50}){21}"],
    ["with names, which must not repeat", "(?P<a>x)(?P<a>y)"],
    ["that end too early", "a)"],
  ])("%s", (_, source) => expect(nativePattern(source)).toBeUndefined());
});

test("a native pattern finds what RE2 finds", () => {
  const random = mulberry32(20);
  let native = 0;
  for (let i = 0; i < 1500; i++) {
    const source = randomPattern(random, 3);
    const regex = nativePattern(source);
    if (regex === undefined) continue;
    native++;
    const re2 = RE2JS.compile(source);
    for (let j = 0; j < 8; j++) {
      const text = pick(random, ["", "^"]) + repeat(random, 8, () => pick(random, TEXT));
      expect({ source, text, found: regex.test(text) }).toEqual({ source, text, found: re2.test(text) });
    }
  }
  expect(native).toBeGreaterThan(300);
});

const TEXT = ["a", "b", "-", ".", "]", "_", "7", " ", "\n", "\v", "é", "ſ", "😀", "\\"];
const ATOMS = [
  "a",
  "b",
  "-",
  "\\.",
  ".",
  "^",
  "$",
  "\\d",
  "\\W",
  "\\s",
  "\\S",
  "\\b",
  "[a-z]",
  "[^a]",
  "[]a]",
  "[^-\\d]",
  "[\\s\\w-]",
  "é",
  "😀",
];
const QUANTIFIERS = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "{40}"];

function randomPattern(random: () => number, depth: number): string {
  const atom = () => (depth > 0 && random() < 0.3 ? pick(random, [group, choice])() : pick(random, ATOMS)) + pick(random, QUANTIFIERS);
  const group = () => `(${pick(random, ["", "?:"])}${randomPattern(random, depth - 1)})`;
  const choice = () => `(${randomPattern(random, depth - 1)}|${randomPattern(random, depth - 1)})`;
  return repeat(random, 3, atom) || atom();
}

function repeat(random: () => number, most: number, make: () => string): string {
  return Array.from({ length: Math.floor(random() * (most + 1)) }, make).join("");
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
