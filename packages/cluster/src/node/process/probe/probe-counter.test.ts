import { expect, test } from "vitest";
import { countProbeResult, type ProbeCount } from "./prober.ts";

test.each([
  ["one success", {}, false, "+", true],
  ["three failures", {}, true, "---", false],
  ["no fewer than three failures", {}, true, "--", true],
  ["consecutive failures only", {}, true, "--+--", true],
  ["two successes with a success threshold of two", { successThreshold: 2 }, false, "+-++", true],
  ["one failure with a failure threshold of one", { failureThreshold: 1 }, true, "+-", false],
])("changes the outcome after %s", (_, probe, initial, answers, expected) => {
  const first: ProbeCount = { result: initial, times: 0 };
  expect([...answers].reduce((count, each) => countProbeResult(count, each === "+", probe), first).result).toBe(expected);
});
