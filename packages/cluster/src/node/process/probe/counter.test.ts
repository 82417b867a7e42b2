import { expect, test } from "vitest";
import { type Count, counted } from "./counter.ts";

test.each([
  ["one success is enough", {}, false, "+", true],
  ["three failures, not two", {}, true, "---", false],
  ["two failures change nothing", {}, true, "--", true],
  ["a success in between begins anew", {}, true, "--+--", true],
  ["two successes, where two are asked for", { successThreshold: 2 }, false, "+-++", true],
  ["one failure, where one is enough", { failureThreshold: 1 }, true, "+-", false],
])("%s", (_, probe, initial, answers, expected) => {
  const first: Count = { result: initial, times: 0 };
  expect([...answers].reduce((count, each) => counted(count, each === "+", probe), first).result).toBe(expected);
});
