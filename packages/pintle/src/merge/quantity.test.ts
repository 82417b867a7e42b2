import { expect, test } from "vitest";
import { canonicalizeQuantity, quantityValue, scaleByPowerOfTen } from "./quantity.ts";

// Observed at a Kubernetes API server: the quantity that is sent, and the quantity that is stored.
test.each([
  ["0", "0"],
  ["0Gi", "0"],
  ["0.0", "0"],
  ["1", "1"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["0.5", "500m"],
  [".5", "500m"],
  ["1.5", "1500m"],
  ["1.5k", "1500"],
  ["1.500", "1.500"],
  ["05", "05"],
  ["+5", "+5"],
  ["1000", "1k"],
  ["1024", "1024"],
  ["1024Ki", "1Mi"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["0.1Mi", "104857600m"],
  ["8Mi", "8Mi"],
  ["100Mi", "100Mi"],
  ["1Ki", "1Ki"],
  ["12e6", "12e6"],
  ["1200e4", "12e6"],
  ["5E3", "5E3"],
  ["1e-3", "1e-3"],
  ["100000000000000000000", "100E"],
  ["9223372036854775807Ki", "9223372036854775807"],
  ["1n", "1n"],
  ["0.1n", "1n"],
  ["1.1u", "1100n"],
  ["-1.5", "-1500m"],
  ["-0.5Gi", "-512Mi"],
  ["123456789123456789123m", "123456789123456789123m"],
] as const)("%s is stored as %s", (given, stored) => {
  expect(canonicalizeQuantity(given)).toBe(stored);
  expect(quantityValue(stored)).toBe(quantityValue(given));
});

test.each(["", "a", "1.2.3", "1Kii", "1e", "1K", "1 Gi", "--1"])("rejects %j", (text) => {
  expect(quantityValue(text)).toBeUndefined();
  expect(canonicalizeQuantity(text)).toBeUndefined();
});

test("accepts numbers, and huge exponents at no cost", () => {
  expect(canonicalizeQuantity(2)).toBe("2");
  expect(canonicalizeQuantity(0.25)).toBe("250m");
  expect(quantityValue("1e1000000000")).toBe("1e1000000000");
  expect(quantityValue("1e-1000000000")).toBe("1e-9");
  expect(quantityValue("1Gi")).not.toBe(quantityValue("1G"));
  expect(quantityValue({})).toBeUndefined();
});

test("refuses exponents beyond 32 bits and texts beyond a kilobyte, which cost nothing", () => {
  expect(canonicalizeQuantity(`1e${"9".repeat(400)}`)).toBeUndefined();
  expect(canonicalizeQuantity("1e99999999999")).toBeUndefined();
  expect(canonicalizeQuantity("1".repeat(60_000))).toBeUndefined();
  expect(quantityValue(`1${"0".repeat(900)}`)).toBe("1e900");
  expect(scaleByPowerOfTen(1n, 1_000_000_000) > 10n ** 500n).toBe(true);
});
