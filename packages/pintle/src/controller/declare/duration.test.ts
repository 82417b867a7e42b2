import { expect, test } from "vitest";
import { type Duration, durationToMilliseconds } from "./duration.ts";

test.each([
  [250, 250],
  ["250ms", 250],
  ["1.5s", 1500],
  ["5m", 300_000],
  ["2h", 7_200_000],
] as const)("%s is %d ms", (duration, expected) => {
  expect(durationToMilliseconds(duration)).toBe(expected);
});

test.each(["5 minutes", "", "s", "-1s", Number.NaN, Number.POSITIVE_INFINITY])("%s is not a duration", (duration) => {
  expect(() => durationToMilliseconds(duration as Duration)).toThrow(/is not a duration/);
});
