import { stringifyJson } from "pintle/internal/json";
import { expect, test } from "vitest";
import { decodeJson } from "./decode.ts";

test.each([
  [
    { a: 9007199254740993n, b: [-9223372036854775808n, "9007199254740993"] },
    '{"a":9007199254740993,"b":[-9223372036854775808,"9007199254740993"]}',
  ],
  [{ a: 1n, b: "\u00000\u0000", c: '"x"' }, '{"a":1,"b":"\\u00000\\u0000","c":"\\"x\\""}'],
])("keeps all digits of integers and leaves strings unchanged: %#", (value, text) => {
  expect(stringifyJson(value)).toBe(text);
  expect(stringifyJson(decodeJson(text).value)).toBe(text);
});
