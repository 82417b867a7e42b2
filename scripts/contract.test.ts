import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { numbered, numbersOf, page, STATEMENTS } from "./contract.ts";

describe("docs/runtime-contract.md", () => {
  test("is what `npm run contract` writes", () => {
    expect(readFileSync(new URL("../docs/runtime-contract.md", import.meta.url), "utf8")).toBe(page());
  });

  test("shows every promise by a test, or says whose issue does", () => {
    const shown = new Set(numbered().flatMap(({ numbers }) => numbers));
    const open = Object.entries(STATEMENTS).filter(([id, [, issue]]) => issue === undefined && !shown.has(id));
    expect(open).toEqual([]);
    expect(Object.keys(STATEMENTS)).toHaveLength(33 + 15 + 5 + 21);
  });

  test("knows every number that a test claims", () => {
    const unknown = numbered().filter(({ numbers }) => numbers.length === 0 || numbers.some((id) => STATEMENTS[id] === undefined));
    expect(unknown).toEqual([]);
  });

  test.for([
    ["c-r 7.3, 7.5 a throw", ["c-r 7.3", "c-r 7.5"]],
    ["c-r 7.10-12, idea 1 in 500 schedules", ["c-r 7.10", "c-r 7.11", "c-r 7.12", "idea 1"]],
    ["better 4, idea 12 first", ["better 4", "idea 12"]],
    ["idea 15, 21 the rules, 12 of them", ["idea 15", "idea 21"]],
    ["idea 18 5,000 daemons", ["idea 18"]],
    ["a test without one", []],
  ] as const)("reads the numbers of %s", ([name, numbers]) => {
    expect(numbersOf(name)).toEqual(numbers);
  });
});
