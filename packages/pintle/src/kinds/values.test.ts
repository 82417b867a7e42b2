import { expect, test } from "vitest";
import { encodeSecretData, formatMicroTime } from "./values.ts";

test("encodeSecretData encodes UTF-8 as base64 and drops undefined values", () => {
  expect(encodeSecretData({ password: "grün", empty: "", missing: undefined })).toEqual({ password: "Z3LDvG4=", empty: "" });
});

test("formatMicroTime writes six decimals", () => {
  expect(formatMicroTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 67)))).toBe("2026-01-02T03:04:05.067000Z");
  expect(() => formatMicroTime(new Date(Number.NaN))).toThrow(RangeError);
});
