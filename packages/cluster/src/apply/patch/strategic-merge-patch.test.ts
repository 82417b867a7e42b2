import type { JsonObject, Shape } from "pintle/kinds";
import { expect, test } from "vitest";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

const SHAPE: Shape = {
  fields: {
    list: { items: { fields: { name: {}, value: {}, inner: { fields: {} } } }, patch: { mergeKey: "name", strategy: ["merge"] } },
    volumes: { items: { fields: {} }, patch: { mergeKey: "name", strategy: ["merge", "retainKeys"] } },
    set: { items: {}, patch: { strategy: ["merge"] } },
    plain: { items: {} },
    keyless: { items: { fields: {} }, patch: { strategy: ["merge"] } },
    struct: { fields: { a: {}, b: {} } },
    strategy: { fields: { type: {}, rolling: {} }, patch: { strategy: ["retainKeys"] } },
    whole: { fields: {}, patch: { strategy: ["replace"] } },
  },
};
const items = (...names: readonly string[]) => names.map((name) => ({ name }));

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["fields", { n: 1, struct: { a: 1 } }, { n: 2, struct: { b: 2 } }, { n: 2, struct: { a: 1, b: 2 } }],
  ["null removes", { n: 1, struct: { a: 1 } }, { n: null, struct: { a: null }, none: null }, { struct: {} }],
  ["null in a new value is removed", {}, { struct: { a: null, b: 1 } }, { struct: { b: 1 } }],
  ["another type replaces", { n: 1 }, { n: { a: 1 } }, { n: { a: 1 } }],
  ["plain lists are replaced", { plain: [1, 2] }, { plain: [3] }, { plain: [3] }],
  [
    "items meet by key",
    { list: [{ name: "a", value: 1, x: 1 }] },
    { list: [{ name: "a", value: 2 }, { name: "b" }] },
    { list: [{ name: "a", value: 2, x: 1 }, { name: "b" }] },
  ],
  [
    "the patch's order leads, others keep their places",
    { list: items("a", "b", "c") },
    { list: items("c", "b", "d") },
    { list: items("a", "c", "b", "d") },
  ],
  ["delete an item", { list: items("a", "b") }, { list: [{ name: "a", $patch: "delete" }] }, { list: items("b") }],
  ["replace a list", { list: items("a", "b") }, { list: [{ name: "c" }, { $patch: "replace" }] }, { list: items("c") }],
  ["replace a map", { struct: { a: 1 } }, { struct: { b: 2, $patch: "replace" } }, { struct: { b: 2 } }],
  ["delete a map", { struct: { a: 1 } }, { struct: { $patch: "delete" } }, { struct: {} }],
  ["replace by strategy", { whole: { a: 1 } }, { whole: { b: 2 } }, { whole: { b: 2 } }],
  [
    "a directive in what is new leaves nothing",
    {},
    { struct: { $patch: "delete" }, list: [{ name: "a", $patch: "delete" }, { name: "b" }] },
    { list: items("b") },
  ],
  ["scalars are joined", { set: ["a", "b"] }, { set: ["c", "a"] }, { set: ["c", "a", "b"] }],
  ["scalars are deleted", { set: ["a", "b"] }, { "$deleteFromPrimitiveList/set": ["a"] }, { set: ["b"] }],
  ["order alone", { list: items("a", "b", "c") }, { "$setElementOrder/list": items("c", "a") }, { list: items("b", "c", "a") }],
  ["order of scalars", { set: ["a", "b", "c"] }, { "$setElementOrder/set": ["c", "a", "b"] }, { set: ["c", "a", "b"] }],
  [
    "order with changes",
    { list: items("a", "b") },
    { "$setElementOrder/list": items("d", "b"), list: [{ name: "d" }, { name: "a", $patch: "delete" }] },
    { list: items("d", "b") },
  ],
  ["order of nothing", {}, { "$setElementOrder/list": items("a") }, {}],
  [
    "keys that are not retained go",
    { strategy: { type: "x", rolling: {} } },
    { strategy: { type: "y", $retainKeys: ["type"] } },
    { strategy: { type: "y" } },
  ],
  [
    "items retain keys too",
    { volumes: [{ name: "v", old: {} }] },
    { volumes: [{ name: "v", new: {}, $retainKeys: ["name", "new"] }] },
    { volumes: [{ name: "v", new: {} }] },
  ],
])("%s", (_, document, patch, merged) => {
  const before = structuredClone(document);
  expect(applyStrategicMergePatch(document, patch, SHAPE)).toEqual(merged);
  expect(document).toEqual(before);
});

test.each<[string, JsonObject, JsonObject, number, string]>([
  [
    "retained keys that lack one",
    { strategy: {} },
    { strategy: { type: "y", $retainKeys: [] } },
    400,
    "invalid patch format of retainKeys",
  ],
  ["retained keys that are no list", { strategy: {} }, { strategy: { $retainKeys: "type" } }, 400, "invalid patch format of retainKeys"],
  ["an order without a field", {}, { $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
  ["a deletion without a field", {}, { $deleteFromPrimitiveList: [] }, 400, "invalid patch format of primitive list"],
  [
    "an unknown directive",
    { struct: {} },
    { struct: { a: 1, $patch: "juggle" } },
    500,
    "unknown patch type: juggle in map: map[$patch:juggle a:1]",
  ],
  [
    "merge as a directive",
    { list: items("a") },
    { list: [{ $patch: "merge" }] },
    500,
    "merging lists cannot yet be specified in the patch",
  ],
  [
    "an item without its key",
    { list: items("a") },
    { list: [{ value: 1 }] },
    500,
    "map: map[value:1] does not contain declared merge key: name",
  ],
  ["items that cannot meet", { keyless: [{ a: 1 }] }, { keyless: [{ b: 1 }] }, 500, "cannot merge lists without merge key for struct"],
  ["mixed items", { set: ["a"] }, { set: [1] }, 500, "list element types are not identical: [[a] [1]]"],
  ["lists of lists", { set: [["a"]] }, { set: [["b"]] }, 422, "the server rejected our request due to an error in our request"],
  [
    "an order that the patch does not keep",
    { list: items("a") },
    { "$setElementOrder/list": items("a"), list: items("b") },
    500,
    "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  ],
])("%s", (_, document, patch, code, message) => {
  expect(() => applyStrategicMergePatch(document, patch, SHAPE)).toThrow(expect.objectContaining({ code, message }));
});
