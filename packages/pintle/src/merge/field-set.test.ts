import { describe, expect, test } from "vitest";
import {
  difference,
  type FieldSet,
  fieldPath,
  fieldSet,
  has,
  insert,
  intersection,
  isEmpty,
  NONE,
  type Path,
  paths,
  pathText,
  recursiveDifference,
  sameSet,
  union,
} from "./field-set.ts";
import { fromFieldsV1 } from "./fields-v1.ts";

const set = (...names: readonly string[]) => fieldSet(...names.map((name) => fieldPath(...name.split("."))));
const members = (of: FieldSet) => [...paths(of)].map((path) => path.map((element) => element.slice(2)).join("."));

test("a set is what managedFields have", () => {
  expect(set("a", "b.c", "b")).toEqual({ "f:a": {}, "f:b": { ".": {}, "f:c": {} } });
  expect(Object.keys(set("b", "a"))).toEqual(["f:a", "f:b"]);
  expect(has(set("a.b"), fieldPath("a", "b"))).toBe(true);
  expect(has(set("a.b"), fieldPath("a"))).toBe(false);
  expect(has(set("a"), [])).toBe(false);
  expect(insert(NONE, [])).toBe(NONE);
});

test("members come before what is inside them, level by level", () => {
  expect(members(set("a.x", "b", "a", "c.y"))).toEqual(["a", "b", "a.x", "c.y"]);
  const path: Path = ["f:spec", 'k:{"port":80}', "f:name"];
  expect(pathText(path)).toBe(".spec[port=80].name");
});

// parent - child = parent, child - parent = child: only the recursive difference takes what is inside.
test.each([
  [["a", "a.b"], ["a"], ["a.b"], [] as string[]],
  [["a"], ["a.b"], ["a"], ["a"]],
  [["a.b.c"], ["a.b"], ["a.b.c"], []],
  [["a.b", "c"], ["a.b"], ["c"], ["c"]],
  [["a", "a.b"], ["a.b"], ["a"], ["a"]],
])("%j without %j", (left, right, plain, recursive) => {
  expect(members(difference(set(...left), set(...right)))).toEqual(plain);
  expect(members(recursiveDifference(set(...left), set(...right)))).toEqual(recursive);
});

test("what stays the same is the same object", () => {
  const a = set("a.b", "c");
  expect(union(a, set("c"))).toBe(a);
  expect(difference(a, set("x"))).toBe(a);
  expect(intersection(a, a)).toBe(a);
  expect(union(a, NONE)).toBe(a);
  expect(isEmpty(difference(a, a))).toBe(true);
});

describe("random sets behave like sets of paths", () => {
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
    expect(sorted(members(intersection(a, b)))).toEqual(sorted(left.filter((path) => right.includes(path))));
    expect(sorted(members(difference(a, b)))).toEqual(sorted(left.filter((path) => !right.includes(path))));
    const inside = (path: string) => right.some((other) => path === other || path.startsWith(`${other}.`));
    expect(sorted(members(recursiveDifference(a, b)))).toEqual(sorted(left.filter((path) => !inside(path))));
    expect(sameSet(a, b)).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
    expect(JSON.stringify(fromFieldsV1(JSON.parse(JSON.stringify(a))))).toBe(JSON.stringify(a));
  });
});

test("fieldsV1 of others is brought into order, unknown parts are dropped", () => {
  const read = fromFieldsV1({
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
  expect(fromFieldsV1(Object.freeze({ "f:a": null }))).toEqual({ "f:a": {} });
  expect(fromFieldsV1(undefined)).toEqual({});
  expect(() => fromFieldsV1({ "f:a": 5 })).toThrow(SyntaxError);
  expect(() => fromFieldsV1("f:a")).toThrow(SyntaxError);
});

test("a frozen set is read once", () => {
  const frozen = Object.freeze({ "f:b": {}, "f:a": {} });
  expect(fromFieldsV1(frozen)).toBe(fromFieldsV1(frozen));
});
