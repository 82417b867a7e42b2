import { afterEach, describe, expect, it } from "vitest";
import { parseJson as parseBytes, stringifyJson } from "./lossless-json.ts";

const parseJson = (text: string) => parseBytes(Buffer.from(text));

describe("parseJson", () => {
  it.each<[string, unknown]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ['{"a":9223372036854775807}', { a: 9223372036854775807n }],
    ['{"a":[1,9223372036854775807,{"b":-9223372036854775808}]}', { a: [1, 9223372036854775807n, { b: -9223372036854775808n }] }],
    ['{ "a" : 18446744073709551615 }', { a: 18446744073709551615n }],
    ['{"a":1.2345678901234567890,"b":12345678901234567e3}', { a: 1.2345678901234567, b: 1.2345678901234567e19 }],
    ['{"a":12345678901234567.5}', { a: 12345678901234568 }],
    ['{"a":1e-1234567890123456789}', { a: 0 }],
    ['{"a":"9223372036854775807","b":":9223372036854775807"}', { a: "9223372036854775807", b: ":9223372036854775807" }],
    ['{"a":"\\"b\\":9223372036854775807,","c":9223372036854775807}', { a: '"b":9223372036854775807,', c: 9223372036854775807n }],
    ['{"a\\\\":9223372036854775807,"b":"x\\\\"}', { "a\\": 9223372036854775807n, b: "x\\" }],
    ['{"a":"bigint:1","b":"_bigint:2","c":9223372036854775807}', { a: "bigint:1", b: "_bigint:2", c: 9223372036854775807n }],
    ['{"a":1234567890123456}', { a: 1234567890123456 }],
  ])("%s", (text, expected) => {
    expect(parseJson(text)).toStrictEqual(expected);
  });

  it("finds a long integer at any position", () => {
    for (let before = 0; before < 40; before++) {
      const text = `{"a":"${"x".repeat(before)}","n":-9007199254740993,"b":"äöü"}`;
      expect(parseJson(text), text).toMatchObject({ n: -9007199254740993n, b: "äöü" });
    }
  });

  it.each(['{"a":9223372036854775807', '{"a":"9223372036854775807}', "[9223372036854775807,]", ""])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it("parses __proto__ as an ordinary key", () => {
    const parsed = parseJson('{"__proto__":{"a":9223372036854775807}}') as object;
    expect(Object.keys(parsed)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });
});

describe("stringifyJson", () => {
  afterEach(() => {
    Reflect.deleteProperty(BigInt.prototype, "toJSON");
  });

  it.each<[unknown, string]>([
    [{ a: 1, b: undefined, c: [null] }, '{"a":1,"c":[null]}'],
    [{ a: 9223372036854775807n }, '{"a":9223372036854775807}'],
    [[-1n, "bigint:5", { "bigint:6": 7n }], '[-1,"bigint:5",{"bigint:6":7}]'],
    [{ a: 1n, b: '"bigint:5"' }, '{"a":1,"b":"\\"bigint:5\\""}'],
  ])("%o", (value, expected) => {
    expect(stringifyJson(value)).toBe(expected);
  });

  it.each([[{ a: 1, b: ["x"] }], [{ a: 1n, b: ["x"] }]])("indents %o with one field per line", (value) => {
    expect(stringifyJson(value, 1)).toBe('{\n "a": 1,\n "b": [\n  "x"\n ]\n}');
  });

  it("writes bigint as an integer even if BigInt.prototype.toJSON exists", () => {
    Object.assign(BigInt.prototype, { toJSON: () => "wrong" });
    expect(stringifyJson({ a: 9223372036854775807n, b: "x" })).toBe('{"a":9223372036854775807,"b":"x"}');
  });

  it("rethrows other errors", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(() => stringifyJson(loop)).toThrow(/circular/i);
  });

  it("round-trips parsed text byte by byte", () => {
    const text =
      '{"metadata":{"generation":9223372036854775807},"spec":{"n":[1,2.5,-9223372036854775808],"s":"\\u2028\\"9223372036854775807"}}';
    expect(stringifyJson(parseJson(text))).toBe(text.replace("\\u2028", "\u2028"));
  });
});
