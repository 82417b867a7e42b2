import { describe, expect, test } from "vitest";
import {
  buildFieldSet,
  difference,
  EMPTY_FIELD_SET,
  type FieldSet,
  type FieldSetPath,
  fieldSetPath,
  formatPath,
  hasPath,
  insertPath,
  intersection,
  isEmptySet,
  isSameSet,
  iteratePaths,
  recursiveDifference,
  union,
  unionAll,
} from "./field-set.ts";
import { parseFieldsV1 } from "./fields-v1.ts";

const set = (...names: readonly string[]) => buildFieldSet(...names.map((name) => fieldSetPath(...name.split("."))));
const members = (of: FieldSet) => [...iteratePaths(of)].map((path) => path.map((element) => element.slice(2)).join("."));

test("buildFieldSet returns the form of managedFields", () => {
  expect(set("a", "b.c", "b")).toEqual({ "f:a": {}, "f:b": { ".": {}, "f:c": {} } });
  expect(Object.keys(set("b", "a"))).toEqual(["f:a", "f:b"]);
  expect(hasPath(set("a.b"), fieldSetPath("a", "b"))).toBe(true);
  expect(hasPath(set("a.b"), fieldSetPath("a"))).toBe(false);
  expect(hasPath(set("a"), [])).toBe(false);
  expect(insertPath(EMPTY_FIELD_SET, [])).toBe(EMPTY_FIELD_SET);
});

test("iteratePaths yields members before the members inside them, level by level", () => {
  expect(members(set("a.x", "b", "a", "c.y"))).toEqual(["a", "b", "a.x", "c.y"]);
  const path: FieldSetPath = ["f:spec", 'k:{"port":80}', "f:name"];
  expect(formatPath(path)).toBe(".spec[port=80].name");
});

// parent - child = parent, child - parent = child: only the recursive difference removes members inside.
test.each([
  [["a", "a.b"], ["a"], ["a.b"], [] as string[]],
  [["a"], ["a.b"], ["a"], ["a"]],
  [["a.b.c"], ["a.b"], ["a.b.c"], []],
  [["a.b", "c"], ["a.b"], ["c"], ["c"]],
  [["a", "a.b"], ["a.b"], ["a"], ["a"]],
])("difference of %j and %j", (left, right, plain, recursive) => {
  expect(members(difference(set(...left), set(...right)))).toEqual(plain);
  expect(members(recursiveDifference(set(...left), set(...right)))).toEqual(recursive);
});

test("operations that change nothing return the same object", () => {
  const a = set("a.b", "c");
  expect(union(a, set("c"))).toBe(a);
  expect(difference(a, set("x"))).toBe(a);
  expect(intersection(a, a)).toBe(a);
  expect(union(a, EMPTY_FIELD_SET)).toBe(a);
  expect(isEmptySet(difference(a, a))).toBe(true);
});

describe("operations on random sets equal operations on sets of paths", () => {
  let state = 7;
  const below = (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const randomPath = (): string => Array.from({ length: 1 + below(3) }, () => "abc"[below(3)]).join(".");
  const randomPaths = () => Array.from({ length: below(8) }, randomPath);
  test.each(Array.from({ length: 200 }, (_, i) => i))("round %i", () => {
    const [left, right] = [randomPaths(), randomPaths()];
    const [a, b] = [set(...left), set(...right)];
    const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
    expect(sorted(members(union(a, b)))).toEqual(sorted([...left, ...right]));
    expect(JSON.stringify(unionAll([a, b, set("a.b")]))).toBe(JSON.stringify(union(union(a, b), set("a.b"))));
    expect(sorted(members(intersection(a, b)))).toEqual(sorted(left.filter((path) => right.includes(path))));
    expect(sorted(members(difference(a, b)))).toEqual(sorted(left.filter((path) => !right.includes(path))));
    const inside = (path: string) => right.some((other) => path === other || path.startsWith(`${other}.`));
    expect(sorted(members(recursiveDifference(a, b)))).toEqual(sorted(left.filter((path) => !inside(path))));
    expect(isSameSet(a, b)).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
    expect(JSON.stringify(parseFieldsV1(JSON.parse(JSON.stringify(a))))).toBe(JSON.stringify(a));
  });
});

test("sets of many fields are sorted and equal, though their builders are not interned", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `k${String(index).padStart(4, "0")}`);
  const [a, b] = [unionAll(names.map((name) => set(name))), unionAll([...names].reverse().map((name) => set(name)))];
  expect(members(a)).toEqual(names);
  expect(isSameSet(a, b)).toBe(true);
  expect(isEmptySet(difference(a, b))).toBe(true);
});

test("parseFieldsV1 sorts entries and drops unknown elements", () => {
  const read = parseFieldsV1({
    "v:10": {},
    "v:2": {},
    "f:b": {},
    "f:a": { "r:unknown": {} },
    'k:{ "protocol":"udp","port":443}': { ".": {}, "f:x": {} },
    "r:unknown": {},
  });
  expect(JSON.stringify(read)).toBe(
    '{"f:a":{},"f:b":{},"k:{\\"port\\":443,\\"protocol\\":\\"udp\\"}":{".":{},"f:x":{}},"v:2":{},"v:10":{}}',
  );
  expect(parseFieldsV1(Object.freeze({ "f:a": null }))).toEqual({ "f:a": {} });
  expect(parseFieldsV1(undefined)).toEqual({});
  expect(() => parseFieldsV1({ "f:a": 5 })).toThrow(SyntaxError);
  expect(() => parseFieldsV1("f:a")).toThrow(SyntaxError);
});

test("parseFieldsV1 parses a frozen object once", () => {
  const frozen = Object.freeze({ "f:b": {}, "f:a": {} });
  expect(parseFieldsV1(frozen)).toBe(parseFieldsV1(frozen));
});
