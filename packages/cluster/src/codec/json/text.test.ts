import { expect, test } from "vitest";
import { decodeJson } from "./decode.ts";
import { jsonText } from "./text.ts";

test.each([
  [
    { a: 9007199254740993n, b: [-9223372036854775808n, "9007199254740993"] },
    '{"a":9007199254740993,"b":[-9223372036854775808,"9007199254740993"]}',
  ],
  [{ a: 1n, b: "\u00000\u0000", c: '"x"' }, '{"a":1,"b":"\\u00000\\u0000","c":"\\"x\\""}'],
])("integers keep their digits, texts are left alone: %#", (value, text) => {
  expect(jsonText(value)).toBe(text);
  expect(jsonText(decodeJson(text).value)).toBe(text);
});
