import { expect, test } from "vitest";
import { type Duration, durationToMilliseconds, formatDuration } from "./duration.ts";

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

test("formatDuration rounds to milliseconds and writes a duration that can be parsed", () => {
  const texts = [0.2, 61.6, 1500, 60_000].map(formatDuration);
  expect(texts).toEqual(["0ms", "62ms", "1.5s", "60s"]);
  expect(texts.map(durationToMilliseconds)).toEqual([0, 62, 1500, 60_000]);
});
