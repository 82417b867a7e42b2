import { expect, test } from "vitest";
import { canonical, digest } from "./canonical.ts";

test("keys are sorted, undefined fields are not there, list order is kept", () => {
  const text = '{"a":[2,1,{"x":null,"y":true}],"b":"q\\"","c":12345678901234567890}';
  expect(canonical({ c: 12345678901234567890n, b: 'q"', a: [2, 1, { y: true, x: null, z: undefined }] })).toBe(text);
  expect(canonical({ a: undefined })).toBe("{}");
  expect(canonical([])).toBe("[]");
});

test("undefined inside a list is refused", () => {
  expect(() => canonical([undefined])).toThrow(TypeError);
});

test("a digest is short, stable and differs with the value", () => {
  expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
  expect(digest({ a: 1 })).not.toBe(digest({ a: "1" }));
  expect(digest({})).toMatch(/^[\w-]{16}$/);
});
