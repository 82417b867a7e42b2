import { describe, expect, test } from "vitest";
import { BodyDecodeError } from "../body-error.ts";
import { decodeJson } from "./decode.ts";

test.each([
  ["0", 0],
  ["1.50", 1.5],
  ["1e3", 1000],
  ['"\\u00fc\\ud83d\\ude00\\/"', "ü😀/"],
  ['["\\ud800a","\\udc00\\ud83d\\ude00",{"\\udfff":1}]', ["\ufffda", "\ufffd😀", { "\ufffd": 1 }]],
  ['{"a\\ud800":1,"n":9007199254740993}', { "a\ufffd": 1, n: 9007199254740993n }],
  [" [ true , false , null ] ", [true, false, null]],
  ['{"a":{"b":[{}]},"":0}', { a: { b: [{}] }, "": 0 }],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -9223372036854775808n],
  ["9223372036854775808", 2 ** 63],
  ["1234567890123456.0", 1234567890123456],
  ['{"n":9007199254740993,"s":"9007199254740993"}', { n: 9007199254740993n, s: "9007199254740993" }],
])("%s", (text, value) => {
  expect(decodeJson(text)).toEqual({ value, strict: [] });
});

describe("repeated fields", () => {
  test("decodes the last of duplicate fields and reports each path once", () => {
    const text = '{"a":1,"spec":{"list":[{"n":1},{"n":1,"n":2,"n":3}],"x.y":{"k":0,"k":0}},"a":2}';
    expect(decodeJson(text)).toEqual({
      value: { a: 2, spec: { list: [{ n: 1 }, { n: 3 }], "x.y": { k: 0 } } },
      strict: ['duplicate field "spec.list[1].n"', 'duplicate field "spec.x.y.k"', 'duplicate field "a"'],
    });
  });

  test("reports a duplicate inside a value that is overwritten", () => {
    expect(decodeJson('{"a":{"b":1,"b":2},"a":{}}').strict).toEqual(['duplicate field "a.b"', 'duplicate field "a"']);
  });

  test("does not count colons and quotes inside strings as fields", () => {
    expect(decodeJson('{"a":"x\\":1","b\\\\":"\\\\","c":":"}').strict).toEqual([]);
  });

  test("decodes field names such as __proto__ as plain fields", () => {
    const { value, strict } = decodeJson('{"__proto__":{"x":1},"constructor":1,"__proto__":2}');
    expect(Object.entries(value as object)).toEqual([
      ["__proto__", 2],
      ["constructor", 1],
    ]);
    expect(strict).toEqual(['duplicate field "__proto__"']);
  });
});

// Error texts of Go's encoding/json.
test.each([
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a"', "unexpected end of JSON input"],
  ['"abc', "unexpected end of JSON input"],
  ["x", "invalid character 'x' looking for beginning of value"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["{} x", "invalid character 'x' after top-level value"],
  ["01", "invalid character '1' after top-level value"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["trux", "invalid character 'x' in literal true (expecting 'e')"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
])("refuses %j", (text, why) => {
  expect(() => decodeJson(text)).toThrow(new BodyDecodeError(why));
});

test("refuses text that is nested too deeply", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(decodeJson(nested(1000)).strict).toEqual([]);
  expect(() => decodeJson(nested(1001))).toThrow(new BodyDecodeError("invalid character '[' exceeded max depth"));
});
