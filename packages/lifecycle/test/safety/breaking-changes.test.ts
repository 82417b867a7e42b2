import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import { findBreakingCrdChanges } from "../../src/safety/breaking-changes.ts";

function crd(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
      ...more,
    },
  };
}
const field = (schema: JsonObject): JsonObject => crd({ type: "object", properties: { a: schema } });
const keywords = (before: JsonObject, after: JsonObject) =>
  findBreakingCrdChanges(before, after).map((each) => `${each.field}: ${each.keyword}`);

test.each<[JsonObject, JsonObject, string]>([
  [{ type: "string" }, { type: "integer" }, "type"],
  [{ "x-kubernetes-int-or-string": true }, { type: "integer" }, "type"],
  [{ type: "integer" }, { type: "integer", maximum: 3 }, "maximum"],
  [{ type: "integer", minimum: 1 }, { type: "integer", minimum: 2 }, "minimum"],
  [{ type: "string", maxLength: 9 }, { type: "string", maxLength: 8 }, "maxLength"],
  [{ type: "string" }, { type: "string", pattern: "^a" }, "pattern"],
  [{ type: "string" }, { type: "string", format: "date" }, "format"],
  [{ type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }, "enum"],
  [{ type: "string" }, { type: "string", enum: ["a"] }, "enum"],
  [{ type: "string", nullable: true }, { type: "string" }, "nullable"],
  [
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    "x-kubernetes-list-type",
  ],
  [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, { type: "object" }, "x-kubernetes-preserve-unknown-fields"],
])("%j to %j breaks", (before, after, rule) => {
  expect(keywords(field(before), field(after))).toEqual([`v1 spec.a: ${rule}`]);
});

test.each<[JsonObject, JsonObject]>([
  [{ type: "integer" }, { type: "number" }],
  [{ type: "integer" }, { "x-kubernetes-int-or-string": true }],
  [
    { type: "integer", maximum: 3 },
    { type: "integer", maximum: 4 },
  ],
  [{ type: "integer", maximum: 3 }, { type: "integer" }],
  [{ type: "string", pattern: "^a" }, { type: "string" }],
  [
    { type: "string", enum: ["a"] },
    { type: "string", enum: ["a", "b"] },
  ],
  [{ type: "string" }, { type: "string", nullable: true, description: "words" }],
])("does not report %j to %j", (before, after) => {
  expect(keywords(field(before), field(after))).toEqual([]);
});

test("reports removed and newly required fields inside lists and maps", () => {
  const item = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({ type: "object", properties, required });
  const inList = (items: JsonObject) => field({ type: "array", items });
  const inMap = (additionalProperties: JsonObject) => field({ type: "object", additionalProperties });
  expect(keywords(inList(item({ x: { type: "string" } })), inList(item({})))).toEqual(["v1 spec.a[].x: properties"]);
  expect(keywords(inMap(item({})), inMap(item({ x: { type: "string" } }, ["x"])))).toEqual(["v1 spec.a{}: required"]);
  expect(keywords(inMap(item({})), inMap(item({ x: { type: "string", default: "" } }, ["x"])))).toEqual([]);
});

test("reports changes of scope, names and versions", () => {
  const before = crd({ type: "object" });
  expect(keywords(before, crd({ type: "object" }, { scope: "Cluster" }))).toEqual(["spec.scope: scope"]);
  expect(keywords(before, crd({ type: "object" }, { names: { kind: "Thing", plural: "thingses" } }))).toEqual(["spec.names: names"]);
  expect(keywords(before, crd({ type: "object" }, { versions: [] }))).toEqual(["v1: versions"]);
});
