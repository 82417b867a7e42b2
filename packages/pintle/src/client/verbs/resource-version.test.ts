import { describe, expect, it } from "vitest";
import { compareResourceVersions } from "./resource-version.ts";

describe("compareResourceVersions", () => {
  it.each([
    ["1", "2", -1],
    ["10", "9", 1],
    ["0", "0", 0],
    ["9007199254740993", "9007199254740992", 1],
    ["18446744073709551616", "18446744073709551615", 1],
    ["99999999999999999999999999999999999998", "99999999999999999999999999999999999999", -1],
  ])("compares %s with %s", (a, b, expected) => {
    expect(Math.sign(compareResourceVersions(a, b))).toBe(expected);
    expect(Math.sign(compareResourceVersions(b, a))).toBe(expected === 0 ? 0 : -expected);
  });

  it.each(["", "01", "-1", "1.0", "abc", " 1"])("refuses %j", (version) => {
    expect(() => compareResourceVersions(version, "1")).toThrow(/is not a decimal number/);
  });
});
