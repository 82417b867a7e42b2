import { expect, test } from "vitest";
import { encodeGoJson, formatGoNumber, formatGoSyntax, formatGoValue, quoteGoString } from "./index.ts";

// The output of fmt.Sprint, strconv.Quote and json.Marshal for the same values.
test.each([
  [0, "0"],
  [-0, "-0"],
  [1.5, "1.5"],
  [1e20, "100000000000000000000"],
  [1e21, "1e+21"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [1.25e-7, "1.25e-07"],
  [9007199254740993n, "9007199254740993"],
])("formatGoNumber formats %s", (value, text) => expect(formatGoNumber(value)).toBe(text));

test.each([
  ["plain text", '"plain text"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ["tab\tbell\u0007null\0", '"tab\\tbell\\anull\\x00"'],
  ["é 😀", '"é 😀"'],
  ["\u00a0\u200b\u{e0001}", '"\\u00a0\\u200b\\U000e0001"'],
])("quoteGoString quotes %j", (value, text) => expect(quoteGoString(value)).toBe(text));

test.each([
  [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
  ["<a> & b", '"\\u003ca\\u003e \\u0026 b"'],
  [{ n: 1e-7, m: 1e21, z: -0 }, '{"m":1e+21,"n":1e-7,"z":-0}'],
])("encodeGoJson encodes %j", (value, text) => expect(encodeGoJson(value)).toBe(text));

test("formatGoValue and formatGoSyntax sort the keys of maps", () => {
  const value = { b: ["x", 1, null], a: { c: true } };
  expect(formatGoValue(value)).toBe("map[a:map[c:true] b:[x 1 <nil>]]");
  expect(formatGoSyntax(value)).toBe(
    'map[string]interface {}{"a":map[string]interface {}{"c":true}, "b":[]interface {}{"x", 1, interface {}(nil)}}',
  );
});
