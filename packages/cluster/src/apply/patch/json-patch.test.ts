import type { Json } from "pintle/kinds";
import { expect, test } from "vitest";
import type { ApiError } from "../../status/index.ts";
import { applyJsonPatch } from "./json-patch.ts";

const document = Object.freeze({
  a: 1,
  list: Object.freeze(["x", "y"]),
  deep: Object.freeze({ "with/slash": Object.freeze({ "~": 1 }) }),
  none: null,
});

test.each<[string, readonly Json[], Json]>([
  ["add a field", [{ op: "add", path: "/b", value: 2 }], { ...document, b: 2 }],
  ["add over a field", [{ op: "add", path: "/a", value: 2 }], { ...document, a: 2 }],
  ["add to the end", [{ op: "add", path: "/list/-", value: "z" }], { ...document, list: ["x", "y", "z"] }],
  ["add in between", [{ op: "add", path: "/list/1", value: "z" }], { ...document, list: ["x", "z", "y"] }],
  ["count from the end", [{ op: "remove", path: "/list/-1" }], { ...document, list: ["x"] }],
  ["remove", [{ op: "remove", path: "/deep/with~1slash/~0" }], { ...document, deep: { "with/slash": {} } }],
  ["replace", [{ op: "replace", path: "/list/0", value: "z" }], { ...document, list: ["z", "y"] }],
  ["replace a missing field", [{ op: "replace", path: "/b", value: 2 }], { ...document, b: 2 }],
  ["replace all", [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
  ["move", [{ op: "move", from: "/list/0", path: "/first" }], { ...document, list: ["y"], first: "x" }],
  ["copy", [{ op: "copy", from: "/deep", path: "/again" }], { ...document, again: document.deep }],
  ["copy a missing value", [{ op: "copy", from: "/b", path: "/c" }], { ...document, c: null }],
  ["test", [{ op: "test", path: "/deep", value: { "with/slash": { "~": 1 } } }], document],
  ["test null", [{ op: "test", path: "/none", value: null }], document],
  ["test a missing value", [{ op: "test", path: "/b", value: null }], document],
  [
    "one after the other",
    [
      { op: "add", path: "/b", value: {} },
      { op: "add", path: "/b/c", value: 1 },
    ],
    { ...document, b: { c: 1 } },
  ],
])("%s", (_, operations, patched) => {
  expect(applyJsonPatch(document, operations)).toEqual(patched);
});

test.each<[string, Json]>([
  ["a failed test", { op: "test", path: "/a", value: 2 }],
  ["a missing parent", { op: "add", path: "/x/y", value: 1 }],
  ["a missing field", { op: "remove", path: "/x" }],
  ["an index beyond the end", { op: "add", path: "/list/3", value: 1 }],
  ["a missing item", { op: "replace", path: "/list/2", value: 1 }],
  ["an invalid index", { op: "remove", path: "/list/x" }],
  ["a field of a number", { op: "add", path: "/a/b", value: 1 }],
  ["a field of null", { op: "add", path: "/none/b", value: 1 }],
  ["adding all", { op: "add", path: "", value: {} }],
  ["moving a missing value", { op: "move", from: "/x", path: "/y" }],
  ["no path", { op: "add", value: 1 }],
  ["an unknown operation", { op: "juggle", path: "/a" }],
  ["no operation", { path: "/a" }],
])("refuses %s without a reason", (_, operation) => {
  const applyOperation = () => applyJsonPatch(document, [operation]);
  expect(applyOperation).toThrow("the server rejected our request due to an error in our request");
  expect(applyOperation).toThrow(expect.objectContaining({ code: 422, reason: "Invalid" }));
});

test("refuses malformed patches with 400 and too many operations with 413", () => {
  const status = (patch: Json) => {
    try {
      return applyJsonPatch(document, patch);
    } catch (error) {
      return (error as ApiError).status;
    }
  };
  expect(status({ op: "add" })).toMatchObject({
    code: 400,
    message: "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  });
  expect(status(["add"])).toMatchObject({ code: 400 });
  const repeatOperation = (length: number) => Array.from({ length }, () => ({ op: "test", path: "/a", value: 1 }));
  expect(status(repeatOperation(10_000))).toBe(document);
  expect(status(repeatOperation(10_001))).toMatchObject({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  });
});
