import { describe, expect, test } from "vitest";
import type { JsonObject, Shape } from "../kinds/index.ts";
import { compare } from "./compare.ts";
import { extractItems } from "./extract-items.ts";
import { fromFieldsV1 } from "./fields-v1.ts";
import { merge } from "./merge.ts";
import { withNamedFields } from "./named-fields.ts";
import { removeItems } from "./remove-items.ts";
import { reshape } from "./reshape.ts";
import { toFieldSet } from "./to-field-set.ts";

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

describe("what a value claims", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "structs are not claimed, their fields are",
      { struct: { a: 1, deep: { b: 1 } } },
      { "f:struct": { "f:a": {}, "f:deep": { "f:b": {} } } },
    ],
    ["empty structs are", { struct: {} }, { "f:struct": {} }],
    ["null is", { struct: null, set: null, n: null }, { "f:n": {}, "f:set": {}, "f:struct": {} }],
    ["empty granular lists are not, atomic ones are", { set: [], list: [], row: [] }, { "f:row": {} }],
    ["keys of maps are", { map: { k: { x: 1 } } }, { "f:map": { "f:k": { ".": {}, "f:x": {} } } }],
    ["atomic parts are one piece", { block: { a: 1 }, row: [{ id: 1 }] }, { "f:block": {}, "f:row": {} }],
    ["set items by value, in order", { set: ["b", "a"] }, { "f:set": { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      "list items by key, defaults filled in",
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
      "twins are one",
      {
        list: [
          { id: 1, nv: 1 },
          { id: 1, nv: 2 },
        ],
      },
      { "f:list": { 'k:{"id":1,"key":"k"}': {} } },
    ],
    ["untyped maps are granular, lists are not", { any: { a: { b: [1] } } }, { "f:any": { "f:a": { ".": {}, "f:b": {} } } }],
  ])("%s", (_, value, set) => {
    expect(json(toFieldSet(value, SHAPE))).toBe(json(set));
  });
});

describe("what changed", () => {
  const none = { added: {}, modified: {}, removed: {} };
  test.each<[string, JsonObject, JsonObject, Partial<typeof none> & JsonObject]>([
    ["nothing", { n: 1, set: ["a"] }, { set: ["a"], n: 1 }, {}],
    ["order alone is nothing", { set: ["a", "b"] }, { set: ["b", "a"] }, {}],
    ["a scalar", { n: 1 }, { n: 2 }, { modified: { "f:n": {} } }],
    ["new structs are added themselves", {}, { struct: { a: 1 } }, { added: { "f:struct": { ".": {}, "f:a": {} } } }],
    ["a struct that was null was there", { struct: null }, { struct: { a: 1 } }, { added: { "f:struct": { "f:a": {} } } }],
    ["gone", { struct: { a: 1 } }, {}, { removed: { "f:struct": { ".": {}, "f:a": {} } } }],
    ["empty to null", { struct: {} }, { struct: null }, { modified: { "f:struct": {} } }],
    ["emptied", { struct: { a: 1 } }, { struct: {} }, { removed: { "f:struct": { "f:a": {} } } }],
    ["atomic", { block: { a: 1 } }, { block: { a: 2 } }, { modified: { "f:block": {} } }],
    ["set", { set: ["a", "b"] }, { set: ["b", "c"] }, { added: { "f:set": { 'v:"c"': {} } }, removed: { "f:set": { 'v:"a"': {} } } }],
    [
      "items by key",
      { list: [{ id: 1, nv: 1 }, { id: 2 }] },
      { list: [{ id: 1, nv: 2 }, { id: 3 }] },
      {
        added: { "f:list": { 'k:{"id":3,"key":"k"}': { ".": {}, "f:id": {} } } },
        modified: { "f:list": { 'k:{"id":1,"key":"k"}': { "f:nv": {} } } },
        removed: { "f:list": { 'k:{"id":2,"key":"k"}': { ".": {}, "f:id": {} } } },
      },
    ],
    [
      "new twins take the place of one",
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
    ["form", { any: { a: 1 } }, { any: "text" }, { modified: { "f:any": {} }, removed: { "f:any": { "f:a": {} } } }],
    ["form back", { any: [1] }, { any: { a: 1 } }, { added: { "f:any": { "f:a": {} } }, modified: { "f:any": {} } }],
  ])("%s", (_, before, after, changes) => {
    expect(json(compare(before, after, SHAPE))).toBe(json({ ...none, ...changes }));
  });

  test("parts that are shared are not looked at", () => {
    const struct = new Proxy({ a: 1 }, { ownKeys: () => expect.unreachable() });
    expect(compare({ struct, n: 1 }, { struct, n: 2 }, SHAPE).modified).toEqual({ "f:n": {} });
  });
});

describe("merge", () => {
  const ids = (...all: readonly string[]) => ({ list: all.map((key) => ({ key, id: key.charCodeAt(0) })) });
  // Published cases: the applier's order, with what only live has where it stood.
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
  ])("items %j and %j become %j", (live, config, merged) => {
    expect(merge(ids(...live), ids(...config), SHAPE)).toEqual(ids(...merged));
    expect(merge({ set: live }, { set: config }, SHAPE)).toEqual({ set: merged });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["leaves are config's", { n: 1, block: { a: 1, b: 2 } }, { n: 2, block: { a: 3 } }, { n: 2, block: { a: 3 } }],
    [
      "structs and maps are joined",
      { struct: { a: 1 }, map: { k: { x: 1 } } },
      { struct: { deep: { b: 2 } }, map: { l: {} } },
      { struct: { a: 1, deep: { b: 2 } }, map: { k: { x: 1 }, l: {} } },
    ],
    [
      "items are joined by key",
      { list: [{ id: 1, key: "k", nv: 1 }] },
      { list: [{ id: 1, inner: { x: 2 } }] },
      { list: [{ id: 1, key: "k", nv: 1, inner: { x: 2 } }] },
    ],
    [
      "twins in live make way",
      {
        list: [
          { id: 1, nv: 1 },
          { id: 1, nv: 2 },
        ],
      },
      { list: [{ id: 1, nv: 3 }] },
      { list: [{ id: 1, nv: 3 }] },
    ],
    ["null is a value for leaves", { n: 1, block: { a: 1 } }, { n: null, block: null }, { n: null, block: null }],
    ["null takes nothing from others", { struct: { a: 1 }, set: ["a"] }, { struct: null, set: null }, { struct: { a: 1 }, set: ["a"] }],
    ["null stays null where nothing is", { struct: {} }, { struct: null }, { struct: null }],
    ["another form wins", { any: { a: 1 } }, { any: [1] }, { any: [1] }],
  ])("%s", (_, live, config, merged) => {
    expect(merge(live, config, SHAPE)).toEqual(merged);
  });

  test("nothing new gives the same object back, and parts that do not change are shared", () => {
    const live = { n: 1, struct: { a: 1 }, list: [{ id: 1, nv: 1 }], block: { a: 1 } };
    expect(merge(live, { n: 1, list: [{ id: 1 }], block: { a: 1 } }, SHAPE)).toBe(live);
    expect(merge(live, { n: 2 }, SHAPE)["list"]).toBe(live.list);
  });
});

describe("remove and extract", () => {
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
    ["fields", { "f:n": {}, "f:struct": { "f:a": {} } }, { struct: { deep: { b: 2 } }, set: object.set, list: object.list }],
    ["items", { "f:set": { 'v:"a"': {} }, "f:list": { 'k:{"id":2,"key":"k"}': {} } }, { ...object, set: ["b"], list: [object.list[0]!] }],
    [
      "parts of items",
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
      "the last part leaves null",
      { "f:struct": { "f:a": {}, "f:deep": {} }, "f:set": { 'v:"a"': {}, 'v:"b"': {} } },
      { ...object, struct: null, set: null },
    ],
    ["what is not there", { "f:x": {} }, object],
  ])("without %s", (_, set, rest) => {
    expect(removeItems(object, fromFieldsV1(set), SHAPE)).toEqual(rest);
  });

  test("what somebody owns, with the keys of their items", () => {
    const owned = fromFieldsV1({
      "f:struct": { "f:deep": { "f:b": {} } },
      "f:set": { 'v:"b"': {} },
      "f:list": { 'k:{"id":1,"key":"k"}': { "f:nv": {} } },
    });
    expect(extractItems(object, owned, SHAPE)).toEqual({ struct: { deep: { b: 2 } }, set: ["b"], list: [{ id: 1, key: "k", nv: 1 }] });
    expect(extractItems(object, fromFieldsV1({ "f:struct": {} }), SHAPE)).toEqual({ struct: {} });
  });
});

test("structs on the way to a member become members, maps and items do not", () => {
  const set = fromFieldsV1({
    "f:struct": { "f:deep": { "f:b": {} } },
    "f:map": { "f:k": { "f:x": {} } },
    "f:list": { 'k:{"id":1}': { "f:inner": { "f:x": {} } } },
  });
  expect(withNamedFields(set, SHAPE)).toEqual({
    "f:struct": { ".": {}, "f:deep": { ".": {}, "f:b": {} } },
    "f:map": { ".": {}, "f:k": { "f:x": {} } },
    "f:list": { ".": {}, 'k:{"id":1}': { "f:inner": { ".": {}, "f:x": {} } } },
  });
});

test("what became atomic is owned as a whole", () => {
  const set = fromFieldsV1({
    "f:block": { "f:a": {} },
    "f:row": { 'k:{"id":1}': { "f:nv": {} } },
    "f:struct": { "f:a": {} },
    "f:gone": { "f:x": {} },
  });
  const followed = reshape(set, SHAPE);
  expect(followed).toEqual({ "f:block": {}, "f:gone": { "f:x": {} }, "f:row": {}, "f:struct": { "f:a": {} } });
  expect(reshape(followed, SHAPE)).toBe(followed);
  const free: Shape = { values: { untyped: true } };
  expect(reshape(set, free)).toBe(set);
});
