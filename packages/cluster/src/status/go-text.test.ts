import { expect, test } from "vitest";
import { goJson, goNumber, goQuote } from "./index.ts";

// What Go prints for the same values with fmt.Sprint, strconv.Quote and json.Marshal.
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
])("the number %s", (value, text) => expect(goNumber(value)).toBe(text));

test.each([
  ["plain text", '"plain text"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ["tab\tbell\u0007null\0", '"tab\\tbell\\anull\\x00"'],
  ["é 😀", '"é 😀"'],
  ["\u00a0\u200b\u{e0001}", '"\\u00a0\\u200b\\U000e0001"'],
])("the text %j", (value, text) => expect(goQuote(value)).toBe(text));

test.each([
  [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
  ["<a> & b", '"\\u003ca\\u003e \\u0026 b"'],
  [{ n: 1e-7, m: 1e21, z: -0 }, '{"m":1e+21,"n":1e-7,"z":-0}'],
])("the JSON of %j", (value, text) => expect(goJson(value)).toBe(text));
