import { expect, test } from "vitest";
import { canonicalJson, digest } from "./canonical-json.ts";

test("canonicalJson sorts keys, omits undefined fields and keeps the order of lists", () => {
  const text = '{"a":[2,1,{"x":null,"y":true}],"b":"q\\"","c":12345678901234567890}';
  expect(canonicalJson({ c: 12345678901234567890n, b: 'q"', a: [2, 1, { y: true, x: null, z: undefined }] })).toBe(text);
  expect(canonicalJson({ a: undefined })).toBe("{}");
  expect(canonicalJson([])).toBe("[]");
});

test("canonicalJson throws for undefined inside a list", () => {
  expect(() => canonicalJson([undefined])).toThrow(TypeError);
});

test("canonicalJson throws an error with a code for a function", () => {
  expect(() => canonicalJson({ a: () => 1 })).toThrow(
    expect.objectContaining({ code: "PINTLE1060", message: "function is not a JSON value" }),
  );
});

test("digest is short, independent of key order and different for different values", () => {
  expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
  expect(digest({ a: 1 })).not.toBe(digest({ a: "1" }));
  expect(digest({})).toMatch(/^[\w-]{16}$/);
});
