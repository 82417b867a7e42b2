import type { Json, JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

// RFC 7386, appendix A, as far as documents are objects.
test.each<[JsonObject, Json, JsonObject]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  // Upstream's library differs here: nulls inside lists of new values are removed.
  [{}, { a: [{ b: null }, null] }, { a: [{}, null] }],
  [{ a: { b: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
])("%j patched with %j", (document, patch, merged) => {
  expect(applyMergePatch(document, patch)).toEqual(merged);
});

test("refuses patches that are not objects", () => {
  expect(() => applyMergePatch({}, null)).toThrow("Invalid JSON Patch");
  expect(() => applyMergePatch({}, [])).toThrow(
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  );
});

test("does not modify the patched object", () => {
  const document = Object.freeze({ a: Object.freeze({ b: 1 }), c: {} });
  const merged = applyMergePatch(document, { a: { b: 2 } });
  expect(document.a.b).toBe(1);
  expect(merged["c"]).toBe(document.c);
});
