import { expect, test } from "vitest";
import { normalQuantity, quantity } from "./quantity.ts";

// Seen at a Kubernetes API server: what it stores for what it is given.
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
  expect(normalQuantity(given)).toBe(stored);
  expect(quantity(stored)).toBe(quantity(given));
});

test.each(["", "a", "1.2.3", "1Kii", "1e", "1K", "1 Gi", "--1"])("%j is no quantity", (text) => {
  expect(quantity(text)).toBeUndefined();
  expect(normalQuantity(text)).toBeUndefined();
});

test("numbers are quantities too, and huge exponents cost nothing", () => {
  expect(normalQuantity(2)).toBe("2");
  expect(normalQuantity(0.25)).toBe("250m");
  expect(quantity("1e1000000000")).toBe("1e1000000000");
  expect(quantity("1e-1000000000")).toBe("1e-9");
  expect(quantity("1Gi")).not.toBe(quantity("1G"));
  expect(quantity({})).toBeUndefined();
});
