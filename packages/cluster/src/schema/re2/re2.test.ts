import { describe, expect, test } from "vitest";
import { evaluatePattern } from "../../../test/schema/evaluate-pattern.ts";
import { readGolden } from "../../../test/schema/golden-files.ts";
import { generatePatternCases, type PatternResult } from "../../../test/schema/random-patterns.ts";
import { checkPattern, createMatchBudget, findAllMatches, MatchBudgetExceeded, matchesPattern } from "./index.ts";

test("random patterns match as with Go's regexp package, with the same errors", () => {
  const recorded = readGolden<PatternResult>("patterns.json");
  for (const [i, one] of generatePatternCases(1, recorded.length).entries()) {
    expect({ ...one, ...evaluatePattern(one) }).toEqual({ ...one, ...recorded[i] });
  }
});

describe("spends little work on patterns that make a backtracking engine exponential or polynomial", () => {
  test.each([
    ["^(a|a)*b$", "a".repeat(50_000)],
    [`^${"a?".repeat(27)}${"a".repeat(27)}$`, "a".repeat(50_000)],
    ["^.*.*.*.*.*.*.*.*x$", "y".repeat(50_000)],
    ["^(a+)+$", `${"a".repeat(50_000)}b`],
    ["(x+x+)+y", "x".repeat(50_000)],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(50_000)],
    ["\\s+$", `${" ".repeat(50_000)}x`],
  ])("%s", (pattern, text) => {
    const budget = createMatchBudget(500_000);
    expect(matchesPattern(pattern, text, budget)).toBe(false);
  });
});

test("throws when the work exceeds the budget", () => {
  const text = Array.from({ length: 100_000 }, (_, i) => "ab"[(Math.imul(i, 2654435761) >>> 15) & 1]).join("");
  const budget = createMatchBudget(10_000_000);
  expect(() => matchesPattern("(a|b)*a(a|b){900}c", text, budget)).toThrow(MatchBudgetExceeded);
  expect(() => findAllMatches("a.*c|a", "a".repeat(100_000), 100_000, createMatchBudget(10_000_000))).toThrow(MatchBudgetExceeded);
});

test("counts the compilation of patterns", () => {
  const budget = createMatchBudget(10_000_000);
  const compileMany = () => {
    for (let i = 0; i < 1000; i++) matchesPattern(`(a{1000}){0,1}${i}`, "", budget);
  };
  expect(compileMany).toThrow(MatchBudgetExceeded);
});

test("rejects programs that are too large", () => {
  expect(() => checkPattern("a{1000}".repeat(200))).toThrow("error parsing regexp: expression too large: `a{1000}");
  expect(() => checkPattern("((?:abcdefghijklmnop){500}){500}")).toThrow("expression too large: `((?:abcdefghijklmnop){500}){500}`");
  expect(() => checkPattern("((?:a){500}){500}")).toThrow("invalid repeat count: `{500}`");
  expect(() => checkPattern("[a]".repeat(200_000))).toThrow("expression too large");
  expect(() => checkPattern(`${"(".repeat(1001)}a${")".repeat(1001)}`)).toThrow("expression nests too deeply");
});

test("keeps the results of patterns that were evicted from the cache", () => {
  const budget = createMatchBudget(Number.POSITIVE_INFINITY);
  const match = (i: number) => matchesPattern(`^[a-z]{${i}}$`, "a".repeat(i), budget);
  for (let round = 0; round < 2; round++) for (let i = 1; i <= 1000; i++) expect(match(i)).toBe(true);
});
