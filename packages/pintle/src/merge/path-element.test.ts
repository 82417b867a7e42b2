import { expect, test } from "vitest";
import type { Json } from "../kinds/index.ts";
import { compareElements, elementText, keyElement, parseElement, valueElement } from "./path-element.ts";

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
  // The server escapes for HTML when it writes a set, and as Go does when it writes a message.
  [valueElement("<&>"), 'v:"\\u003c\\u0026\\u003e"', '[="<&>"]'],
  [valueElement("a\u2028b"), 'v:"a\\u2028b"', '[="a\\u2028b"]'],
  [valueElement("\b\f"), 'v:"\\u0008\\u000c"', '[="\\b\\f"]'],
  [valueElement("é😀"), 'v:"é😀"', '[="é😀"]'],
  [valueElement("a\u0001\u007f\u00a0"), 'v:"a\\u0001\u007f\u00a0"', '[="a\\x01\\x7f\\u00a0"]'],
])("%s is written %s and shown %s", (element, written, shown) => {
  expect(element).toBe(written);
  expect(parseElement(written)).toBe(written);
  expect(elementText(written)).toBe(shown);
});

test("what others wrote is read in whatever form", () => {
  expect(parseElement('k:{ "protocol":"udp","port":443}')).toBe('k:{"port":443,"protocol":"udp"}');
  expect(parseElement("v: 3")).toBe("v:3");
  expect(parseElement("r:unknown")).toBeUndefined();
  for (const bad of ["", "x", "fspec", "v:[", "k:5", "i:a"]) expect(() => parseElement(bad)).toThrow(SyntaxError);
});

test("elements of one level have an order: fields, keys, values, places; numbers before text before truth", () => {
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
  expect(sorted.toReversed().sort(compareElements)).toEqual(sorted);
});

test("an item without any of its keys has no element", () => {
  expect(keyElement(["name"], () => undefined)).toBeUndefined();
});
