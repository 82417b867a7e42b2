import { expect, test } from "vitest";
import type { Json } from "../../kinds/index.ts";
import { comparePathElements, formatPathElement, keyElement, parsePathElement, valueElement } from "./path-element.ts";

const key = (keys: { readonly [name: string]: Json }) => keyElement(Object.keys(keys).sort(), (name) => keys[name]);

test.each<[string | undefined, string, string]>([
  ["f:spec", "f:spec", ".spec"],
  [key({ name: "a" }), 'k:{"name":"a"}', '[name="a"]'],
  [key({ protocol: "TCP", port: 80 }), 'k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'],
  [valueElement("a"), 'v:"a"', '[="a"]'],
  [valueElement(5), "v:5", "[=5]"],
  [valueElement(9007199254740993n), "v:9007199254740993", "[=9007199254740993]"],
  [valueElement(true), "v:true", "[=true]"],
  ["i:3", "i:3", "[3]"],
  // The API server escapes HTML characters in a set, and quotes like Go in a message.
  [valueElement("<&>"), 'v:"\\u003c\\u0026\\u003e"', '[="<&>"]'],
  [valueElement("a\u2028b"), 'v:"a\\u2028b"', '[="a\\u2028b"]'],
  [valueElement("\b\f"), 'v:"\\u0008\\u000c"', '[="\\b\\f"]'],
  [valueElement("é😀"), 'v:"é😀"', '[="é😀"]'],
  [valueElement("a\u0001\u007f\u00a0"), 'v:"a\\u0001\u007f\u00a0"', '[="a\\x01\\x7f\\u00a0"]'],
])("%s is encoded as %s and formatted as %s", (element, encoded, formatted) => {
  expect(element).toBe(encoded);
  expect(parsePathElement(encoded)).toBe(encoded);
  expect(formatPathElement(encoded)).toBe(formatted);
});

test("parsePathElement accepts any JSON form and rejects malformed elements", () => {
  expect(parsePathElement('k:{ "protocol":"udp","port":443}')).toBe('k:{"port":443,"protocol":"udp"}');
  expect(parsePathElement("v: 3")).toBe("v:3");
  expect(parsePathElement("r:unknown")).toBeUndefined();
  for (const bad of ["", "x", "fspec", "v:[", "k:5", "i:a"]) expect(() => parsePathElement(bad)).toThrow(SyntaxError);
});

test("comparePathElements orders fields, keys, values, indexes; numbers before strings before booleans", () => {
  const sorted = [
    "f:a",
    "f:b",
    'k:{"name":"a"}',
    'k:{"port":9}',
    'k:{"port":80}',
    'k:{"port":80,"protocol":"TCP"}',
    "v:2",
    "v:10",
    'v:"a"',
    "v:false",
    "v:true",
    "i:2",
    "i:10",
  ];
  expect(sorted.toReversed().sort(comparePathElements)).toEqual(sorted);
});

test("keyElement returns undefined for an item without keys", () => {
  expect(keyElement(["name"], () => undefined)).toBeUndefined();
});
