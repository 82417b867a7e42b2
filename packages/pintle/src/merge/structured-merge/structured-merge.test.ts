import { describe, expect, test } from "vitest";
import type { JsonObject, Shape } from "../../kinds/index.ts";
import { parseFieldsV1 } from "../field-set/fields-v1.ts";
import { ensureNamedFieldsAreMembers } from "../field-set/named-fields.ts";
import { reconcileFieldSetWithShape } from "../field-set/reconcile-field-set.ts";
import { toFieldSet } from "../field-set/to-field-set.ts";
import { compareObjects } from "./compare-objects.ts";
import { extractItems } from "./extract-items.ts";
import { mergeObjects } from "./merge-objects.ts";
import { removeItems } from "./remove-items.ts";

const ITEM: Shape = { fields: { key: {}, id: {}, nv: {}, inner: { fields: { x: {} } } } };
const SHAPE: Shape = {
  fields: {
    n: { scalar: "number" },
    struct: { fields: { a: {}, deep: { fields: { b: {} } } } },
    block: { atomic: true, fields: { a: {} } },
    map: { values: { fields: { x: {} } } },
    set: { items: {}, list: "set" },
    list: { items: ITEM, list: "map", keys: ["id", "key"], keyDefaults: { key: "k" } },
    row: { items: ITEM, list: "atomic" },
    any: { untyped: true },
  },
};
const json = (value: unknown) => JSON.stringify(value);

describe("toFieldSet", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "contains the fields of structs, not the structs",
      { struct: { a: 1, deep: { b: 1 } } },
      { "f:struct": { "f:a": {}, "f:deep": { "f:b": {} } } },
    ],
    ["contains empty structs", { struct: {} }, { "f:struct": {} }],
    ["contains null fields", { struct: null, set: null, n: null }, { "f:n": {}, "f:set": {}, "f:struct": {} }],
    ["contains empty atomic lists, not empty associative lists", { set: [], list: [], row: [] }, { "f:row": {} }],
    ["contains the keys of maps", { map: { k: { x: 1 } } }, { "f:map": { "f:k": { ".": {}, "f:x": {} } } }],
    ["contains atomic fields as a whole", { block: { a: 1 }, row: [{ id: 1 }] }, { "f:block": {}, "f:row": {} }],
    ["contains set items by value, in order", { set: ["b", "a"] }, { "f:set": { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      "contains list items by key with defaults applied",
      {
        list: [
          { id: 10, key: "a" },
          { id: 9, nv: 1 },
        ],
      },
      {
        "f:list": {
          'k:{"id":9,"key":"k"}': { ".": {}, "f:id": {}, "f:nv": {} },
          'k:{"id":10,"key":"a"}': { ".": {}, "f:id": {}, "f:key": {} },
        },
      },
    ],
    [
      "contains duplicates as one member",
      {
        list: [
          { id: 1, nv: 1 },
          { id: 1, nv: 2 },
        ],
      },
      { "f:list": { 'k:{"id":1,"key":"k"}': {} } },
    ],
    [
      "treats untyped maps as granular and untyped lists as atomic",
      { any: { a: { b: [1] } } },
      { "f:any": { "f:a": { ".": {}, "f:b": {} } } },
    ],
  ])("%s", (_, value, set) => {
    expect(json(toFieldSet(value, SHAPE))).toBe(json(set));
  });
});

describe("compareObjects", () => {
  const none = { added: {}, modified: {}, removed: {} };
  test.each<[string, JsonObject, JsonObject, Partial<typeof none> & JsonObject]>([
    ["equal objects", { n: 1, set: ["a"] }, { set: ["a"], n: 1 }, {}],
    ["reordered set items", { set: ["a", "b"] }, { set: ["b", "a"] }, {}],
    ["a modified scalar", { n: 1 }, { n: 2 }, { modified: { "f:n": {} } }],
    ["an added struct and its fields", {}, { struct: { a: 1 } }, { added: { "f:struct": { ".": {}, "f:a": {} } } }],
    ["fields added to a struct that was null", { struct: null }, { struct: { a: 1 } }, { added: { "f:struct": { "f:a": {} } } }],
    ["a removed struct", { struct: { a: 1 } }, {}, { removed: { "f:struct": { ".": {}, "f:a": {} } } }],
    ["an empty struct that becomes null", { struct: {} }, { struct: null }, { modified: { "f:struct": {} } }],
    ["a struct that becomes empty", { struct: { a: 1 } }, { struct: {} }, { removed: { "f:struct": { "f:a": {} } } }],
    ["a modified atomic field", { block: { a: 1 } }, { block: { a: 2 } }, { modified: { "f:block": {} } }],
    [
      "added and removed set items",
      { set: ["a", "b"] },
      { set: ["b", "c"] },
      { added: { "f:set": { 'v:"c"': {} } }, removed: { "f:set": { 'v:"a"': {} } } },
    ],
    [
      "list items by key",
      { list: [{ id: 1, nv: 1 }, { id: 2 }] },
      { list: [{ id: 1, nv: 2 }, { id: 3 }] },
      {
        added: { "f:list": { 'k:{"id":3,"key":"k"}': { ".": {}, "f:id": {} } } },
        modified: { "f:list": { 'k:{"id":1,"key":"k"}': { "f:nv": {} } } },
        removed: { "f:list": { 'k:{"id":2,"key":"k"}': { ".": {}, "f:id": {} } } },
      },
    ],
    [
      "duplicates that replace one item",
      { list: [{ id: 1, nv: 1 }] },
      {
        list: [
          { id: 1, nv: 1 },
          { id: 1, nv: 2 },
        ],
      },
      {
        added: { "f:list": { 'k:{"id":1,"key":"k"}': {} } },
        removed: { "f:list": { 'k:{"id":1,"key":"k"}': { ".": {}, "f:id": {}, "f:nv": {} } } },
      },
    ],
    ["a map that becomes a scalar", { any: { a: 1 } }, { any: "text" }, { modified: { "f:any": {} }, removed: { "f:any": { "f:a": {} } } }],
    ["a list that becomes a map", { any: [1] }, { any: { a: 1 } }, { added: { "f:any": { "f:a": {} } }, modified: { "f:any": {} } }],
  ])("%s", (_, before, after, changes) => {
    expect(json(compareObjects(before, after, SHAPE))).toBe(json({ ...none, ...changes }));
  });

  test("skips values that both objects share", () => {
    const struct = new Proxy({ a: 1 }, { ownKeys: () => expect.unreachable() });
    expect(compareObjects({ struct, n: 1 }, { struct, n: 2 }, SHAPE).modified).toEqual({ "f:n": {} });
  });
});

describe("mergeObjects", () => {
  const ids = (...all: readonly string[]) => ({ list: all.map((key) => ({ key, id: key.charCodeAt(0) })) });
  // Published cases: the order of the applied list, with items only in live at their position.
  test.each([
    [
      ["a", "b", "c"],
      ["c", "b"],
      ["a", "c", "b"],
    ],
    [
      ["a", "b", "c"],
      ["c", "a"],
      ["b", "c", "a"],
    ],
    [["b"], ["a", "b", "c"], ["a", "b", "c"]],
    [
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["a", "b", "c"],
    ],
    [["a", "b"], ["c"], ["a", "b", "c"]],
    [
      ["a", "b", "c", "d"],
      ["d", "b"],
      ["a", "c", "d", "b"],
    ],
    [[], ["b", "a"], ["b", "a"]],
    [["a"], [], ["a"]],
  ])("merges items %j and %j to %j", (live, config, merged) => {
    expect(mergeObjects(ids(...live), ids(...config), SHAPE)).toEqual(ids(...merged));
    expect(mergeObjects({ set: live }, { set: config }, SHAPE)).toEqual({ set: merged });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["takes leaves from config", { n: 1, block: { a: 1, b: 2 } }, { n: 2, block: { a: 3 } }, { n: 2, block: { a: 3 } }],
    [
      "merges structs and maps",
      { struct: { a: 1 }, map: { k: { x: 1 } } },
      { struct: { deep: { b: 2 } }, map: { l: {} } },
      { struct: { a: 1, deep: { b: 2 } }, map: { k: { x: 1 }, l: {} } },
    ],
    [
      "merges items by key",
      { list: [{ id: 1, key: "k", nv: 1 }] },
      { list: [{ id: 1, inner: { x: 2 } }] },
      { list: [{ id: 1, key: "k", nv: 1, inner: { x: 2 } }] },
    ],
    [
      "replaces duplicates in live",
      {
        list: [
          { id: 1, nv: 1 },
          { id: 1, nv: 2 },
        ],
      },
      { list: [{ id: 1, nv: 3 }] },
      { list: [{ id: 1, nv: 3 }] },
    ],
    ["sets leaves to null", { n: 1, block: { a: 1 } }, { n: null, block: null }, { n: null, block: null }],
    [
      "keeps fields of other managers on null",
      { struct: { a: 1 }, set: ["a"] },
      { struct: null, set: null },
      { struct: { a: 1 }, set: ["a"] },
    ],
    ["sets an empty struct to null", { struct: {} }, { struct: null }, { struct: null }],
    ["takes a value of another form from config", { any: { a: 1 } }, { any: [1] }, { any: [1] }],
  ])("%s", (_, live, config, merged) => {
    expect(mergeObjects(live, config, SHAPE)).toEqual(merged);
  });

  test("returns live itself without changes, and shares unchanged values", () => {
    const live = { n: 1, struct: { a: 1 }, list: [{ id: 1, nv: 1 }], block: { a: 1 } };
    expect(mergeObjects(live, { n: 1, list: [{ id: 1 }], block: { a: 1 } }, SHAPE)).toBe(live);
    expect(mergeObjects(live, { n: 2 }, SHAPE)["list"]).toBe(live.list);
  });
});

describe("removeItems and extractItems", () => {
  const object = {
    n: 1,
    struct: { a: 1, deep: { b: 2 } },
    set: ["a", "b"],
    list: [
      { id: 1, key: "k", nv: 1 },
      { id: 2, key: "k" },
    ],
  };
  test.each<[string, JsonObject, JsonObject]>([
    ["remove fields", { "f:n": {}, "f:struct": { "f:a": {} } }, { struct: { deep: { b: 2 } }, set: object.set, list: object.list }],
    [
      "remove items",
      { "f:set": { 'v:"a"': {} }, "f:list": { 'k:{"id":2,"key":"k"}': {} } },
      { ...object, set: ["b"], list: [object.list[0]!] },
    ],
    [
      "remove fields of items",
      { "f:list": { 'k:{"id":1,"key":"k"}': { "f:nv": {} } } },
      {
        ...object,
        list: [
          { id: 1, key: "k" },
          { id: 2, key: "k" },
        ],
      },
    ],
    [
      "set a value to null that loses its last member",
      { "f:struct": { "f:a": {}, "f:deep": {} }, "f:set": { 'v:"a"': {}, 'v:"b"': {} } },
      { ...object, struct: null, set: null },
    ],
    ["ignore absent fields", { "f:x": {} }, object],
  ])("%s", (_, set, rest) => {
    expect(removeItems(object, parseFieldsV1(set), SHAPE)).toEqual(rest);
  });

  test("extract the members of a set with the keys of their items", () => {
    const owned = parseFieldsV1({
      "f:struct": { "f:deep": { "f:b": {} } },
      "f:set": { 'v:"b"': {} },
      "f:list": { 'k:{"id":1,"key":"k"}': { "f:nv": {} } },
    });
    expect(extractItems(object, owned, SHAPE)).toEqual({ struct: { deep: { b: 2 } }, set: ["b"], list: [{ id: 1, key: "k", nv: 1 }] });
    expect(extractItems(object, parseFieldsV1({ "f:struct": {} }), SHAPE)).toEqual({ struct: {} });
  });
});

test("ensureNamedFieldsAreMembers adds structs, not maps and items", () => {
  const set = parseFieldsV1({
    "f:struct": { "f:deep": { "f:b": {} } },
    "f:map": { "f:k": { "f:x": {} } },
    "f:list": { 'k:{"id":1}': { "f:inner": { "f:x": {} } } },
  });
  expect(ensureNamedFieldsAreMembers(set, SHAPE)).toEqual({
    "f:struct": { ".": {}, "f:deep": { ".": {}, "f:b": {} } },
    "f:map": { ".": {}, "f:k": { "f:x": {} } },
    "f:list": { ".": {}, 'k:{"id":1}': { "f:inner": { ".": {}, "f:x": {} } } },
  });
});

test("reconcileFieldSetWithShape makes fields that became atomic members as a whole", () => {
  const set = parseFieldsV1({
    "f:block": { "f:a": {} },
    "f:row": { 'k:{"id":1}': { "f:nv": {} } },
    "f:struct": { "f:a": {} },
    "f:gone": { "f:x": {} },
  });
  const followed = reconcileFieldSetWithShape(set, SHAPE);
  expect(followed).toEqual({ "f:block": {}, "f:gone": { "f:x": {} }, "f:row": {}, "f:struct": { "f:a": {} } });
  expect(reconcileFieldSetWithShape(followed, SHAPE)).toBe(followed);
  const free: Shape = { values: { untyped: true } };
  expect(reconcileFieldSetWithShape(set, free)).toBe(set);
});
