import { describe, expect, test } from "vitest";
import { findNextOpening, isWindowOpen, parseDuration, parseWindow } from "../../src/policy/index.ts";

const at = (text: string) => Date.parse(`${text}Z`);

test("durations are sums of hours, minutes and seconds", () => {
  expect(["90s", "30m", "1h30m", "2h0m5s"].map(parseDuration)).toEqual([90_000, 1_800_000, 5_400_000, 7_205_000]);
});

describe("a maintenance window", () => {
  test.each([
    // Saturdays at 02:00 for three hours.
    ["0 2 * * 6", "3h", "2026-11-21T02:00:00", true],
    ["0 2 * * 6", "3h", "2026-11-21T04:59:59", true],
    ["0 2 * * 6", "3h", "2026-11-21T05:00:00", false],
    ["0 2 * * 6", "3h", "2026-11-21T01:59:59", false],
    ["0 2 * * 6", "3h", "2026-11-22T02:30:00", false],
    // Over midnight, and over the end of a month.
    ["0 22 31 10 *", "5h", "2026-11-01T02:59:00", true],
    ["0 22 31 10 *", "5h", "2026-11-01T03:00:00", false],
    // Day of month or day of week, as in cron.
    ["0 0 1 * 1", "1h", "2026-11-01T00:30:00", true],
    ["0 0 1 * 1", "1h", "2026-11-02T00:30:00", true],
    ["0 0 1 * 1", "1h", "2026-11-03T00:30:00", false],
    // 7 is Sunday; steps and lists.
    ["*/20 4-6/2 * * 7", "5m", "2026-11-22T06:41:00", true],
    ["*/20 4-6/2 * * 7", "5m", "2026-11-22T05:01:00", false],
    ["5,35 * * * *", "1m", "2026-11-22T05:35:59", true],
    // Overlapping openings keep it open.
    ["* * * * *", "2m", "2026-11-22T05:35:59", true],
  ])("%s for %s at %s is open: %s", (cron, duration, time, isOpen) => {
    expect(isWindowOpen(parseWindow({ cron, duration }), at(time))).toBe(isOpen);
  });

  test.each([
    ["0 2 * * 6", "2026-11-21T02:00:00", "2026-11-28T02:00:00"],
    ["0 2 * * 6", "2026-11-21T01:59:59", "2026-11-21T02:00:00"],
    ["30 1 29 2 *", "2026-11-21T02:00:00", "2028-02-29T01:30:00"],
    ["0 0 1 1 *", "2026-12-31T23:59:00", "2027-01-01T00:00:00"],
  ])("%s opens after %s at %s", (cron, now, next) => {
    expect(findNextOpening(parseWindow({ cron, duration: "1h" }), at(now))).toBe(at(next));
  });

  test("whose day never comes does not open", () => {
    expect(findNextOpening(parseWindow({ cron: "0 0 31 2 *", duration: "1h" }), at("2026-01-01T00:00:00"))).toBeUndefined();
  });

  test.each(["60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "*-5 * * * *", "* * * *"])(
    "%s is refused",
    (cron) => {
      expect(() => parseWindow({ cron, duration: "1h" })).toThrow("invalid schedule");
    },
  );
});
