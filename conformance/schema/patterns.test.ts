import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { evaluatePattern } from "../../packages/cluster/test/schema/evaluate-pattern.ts";
import { generatePatternCases, type PatternResult } from "../../packages/cluster/test/schema/random-patterns.ts";
import { full, seed } from "../sampling.ts";

const program = path.join(import.meta.dirname, "patterns/main.go");
const hasGo = spawnSync("go", ["version"]).status === 0;
if (!hasGo) console.log("!!! patterns are not compared with Go's regexp package: go is missing");

test.runIf(hasGo)("random patterns match as with Go's regexp package, with the same errors", { timeout: 20 * 60_000 }, () => {
  const cases = generatePatternCases(seed, full ? 200_000 : 5_000);
  const input = cases.map((each) => JSON.stringify(each)).join("\n");
  const { stdout, stderr, status } = spawnSync("go", ["run", program], { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  expect(status, stderr).toBe(0);
  const expected = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as PatternResult);
  expect(expected).toHaveLength(cases.length);
  for (const [i, one] of cases.entries()) {
    const ours = evaluatePattern(one);
    // Programs are limited to a smaller size here.
    if (ours.error?.includes("expression too large")) continue;
    expect({ ...one, ...ours }).toEqual({ ...one, ...expected[i] });
  }
});

test.runIf(hasGo)("the recorded results of Go's regexp package are current", () => {
  const recorded = JSON.parse(
    readFileSync(path.join(import.meta.dirname, "../../packages/cluster/test/schema/golden/patterns.json"), "utf8"),
  ) as readonly PatternResult[];
  const input = generatePatternCases(1, recorded.length).map((each) => JSON.stringify(each));
  const { stdout } = spawnSync("go", ["run", program], { input: input.join("\n"), encoding: "utf8", maxBuffer: 2 ** 30 });
  expect(JSON.parse(`[${stdout.trimEnd().split("\n").join(",")}]`)).toEqual(recorded);
});
