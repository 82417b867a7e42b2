import { expect, test } from "vitest";
import { microTime, text } from "./values.ts";

test("text() is base64 of UTF-8, without what is undefined", () => {
  expect(text({ password: "grün", empty: "", missing: undefined })).toEqual({ password: "Z3LDvG4=", empty: "" });
});

test("microTime() has six decimals", () => {
  expect(microTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 67)))).toBe("2026-01-02T03:04:05.067000Z");
  expect(() => microTime(new Date(Number.NaN))).toThrow(RangeError);
});
