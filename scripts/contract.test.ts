import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findNumberedTests, parseStatementNumbers, renderPage, STATEMENTS } from "./contract.ts";

describe("docs/runtime-contract.md", () => {
  test("is what `npm run contract` writes", () => {
    expect(readFileSync(new URL("../docs/runtime-contract.md", import.meta.url), "utf8")).toBe(renderPage());
  });

  test("names a test or a suite that exists for every promise", () => {
    const shown = new Set(findNumberedTests().flatMap(({ numbers }) => numbers));
    const open = Object.entries(STATEMENTS).filter(([id, [, suite]]) => suite === undefined && !shown.has(id));
    expect(open).toEqual([]);
    const suites = Object.values(STATEMENTS).flatMap(([, suite]) => suite ?? []);
    expect(suites.filter((suite) => !existsSync(new URL(`../${suite}`, import.meta.url)))).toEqual([]);
  });

  test("has a statement for every number in a test title", () => {
    const unknown = findNumberedTests().filter(({ numbers }) => numbers.length === 0 || numbers.some((id) => STATEMENTS[id] === undefined));
    expect(unknown).toEqual([]);
  });

  test.for([
    ["RT-3, RT-5 retries with backoff", ["RT-3", "RT-5"]],
    ["RT-10 to RT-12, RT-54 survives 500 schedules", ["RT-10", "RT-11", "RT-12", "RT-54"]],
    ["RT-71 runs 5,000 daemons", ["RT-71"]],
    ["a title without a number", []],
  ] as const)("reads the numbers of the title %s", ([title, numbers]) => {
    expect(parseStatementNumbers(title)).toEqual(numbers);
  });
});
