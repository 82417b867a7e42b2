import { describe, expect, test } from "vitest";
import { parseSchedule } from "./schedule.ts";

const times = (text: string, zone: string, from: string, count: number) => {
  const when = parseSchedule(text, zone);
  const found: string[] = [];
  for (let at = when.next(Date.parse(from)); at !== undefined && found.length < count; at = when.next(at))
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
};

describe("a parsed schedule", () => {
  test.each([
    ["every minute", "* * * * *", "UTC", "2026-01-01T00:00:30Z", ["2026-01-01T00:01", "2026-01-01T00:02"]],
    ["a schedule whose current instant is excluded", "0 * * * *", "UTC", "2026-01-01T01:00:00Z", ["2026-01-01T02:00"]],
    [
      "steps and lists",
      "*/20,5 3 * * *",
      "UTC",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T03:00", "2026-01-01T03:05", "2026-01-01T03:20", "2026-01-01T03:40"],
    ],
    [
      "a step from a start value",
      "50/5 0 * * *",
      "UTC",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T00:50", "2026-01-01T00:55", "2026-01-02T00:50"],
    ],
    ["month and day names", "0 0 * feb mon", "UTC", "2026-01-01T00:00:00Z", ["2026-02-02T00:00", "2026-02-09T00:00"]],
    [
      "a restricted day of month and day of week, of which either matches",
      "0 0 13 * fri",
      "UTC",
      "2026-02-01T00:00:00Z",
      ["2026-02-06T00:00", "2026-02-13T00:00", "2026-02-20T00:00"],
    ],
    ["a leap day", "0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00"]],
    ["a macro", "@weekly", "UTC", "2026-01-01T00:00:00Z", ["2026-01-04T00:00", "2026-01-11T00:00"]],
    ["an interval", "@every 1h30m", "UTC", "2026-01-01T00:00:10Z", ["2026-01-01T01:30", "2026-01-01T03:00"]],
    ["a schedule in a time zone", "30 9 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", ["2026-01-01T04:00", "2026-01-02T04:00"]],
    ["an hour that daylight saving skips", "30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", ["2026-03-28T01:30", "2026-03-30T00:30"]],
    [
      "an hour that daylight saving repeats",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-26T01:30"],
    ],
    ["a schedule with a TZ prefix", "TZ=Asia/Tokyo 0 9 * * *", "UTC", "2026-01-01T00:00:00Z", ["2026-01-02T00:00"]],
  ])("finds the next times of %s", (_, text, zone, from, expected) => {
    expect(times(text, zone, from, expected.length)).toEqual(expected);
  });

  test("returns undefined for a date that does not exist", () => {
    expect(parseSchedule("0 0 31 2 *", "UTC").next(0)).toBeUndefined();
  });

  test.each(["* * * *", "60 * * * *", "* * * * mon-xyz", ""])("throws for the invalid schedule %j", (text) => {
    expect(() => parseSchedule(text, "UTC")).toThrow();
  });
});
