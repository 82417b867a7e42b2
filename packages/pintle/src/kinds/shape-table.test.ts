import { expect, test } from "vitest";
import { UNTYPED_SHAPE } from "./shape.ts";
import { parseShapeTable } from "./shape-table.ts";

const STRING = { scalar: "string" };

test.each([
  ["", STRING],
  ["n", { scalar: "number" }],
  ["b", { scalar: "boolean" }],
  ["a", {}],
  ["q", { scalar: "quantity" }],
  ["t", { scalar: "time" }],
  ["m", { scalar: "microTime" }],
  ["i", { scalar: "intOrString" }],
  ["?", UNTYPED_SHAPE],
  ["*", { untyped: true, atomic: true }],
  ["Item", { fields: { id: STRING } }],
  ["Item!", { fields: { id: STRING }, atomic: true }],
  ["Whole", { fields: { id: STRING }, atomic: true }],
  ["Whole~", { fields: { id: STRING }, atomic: false }],
  ["Open", { fields: { id: STRING }, values: UNTYPED_SHAPE }],
  ["{}", { values: STRING }],
  ["{q}!", { values: { scalar: "quantity" }, atomic: true }],
  ["{[]+}", { values: { items: STRING, list: "set" } }],
  ["[]", { items: STRING, list: "atomic" }],
  ["[[n]]", { items: { items: { scalar: "number" }, list: "atomic" }, list: "atomic" }],
  ["[]+/merge", { items: STRING, list: "set", patch: { strategy: ["merge"] } }],
  ["[Item]#id", { items: { fields: { id: STRING } }, list: "map", keys: ["id"] }],
  [
    "[Item]#id=x%20y,port:0/merge,retainKeys/id",
    {
      items: { fields: { id: STRING } },
      list: "map",
      keys: ["id", "port"],
      keyDefaults: { id: "x y", port: 0 },
      patch: { strategy: ["merge", "retainKeys"], mergeKey: "id" },
    },
  ],
  ["Item/retainKeys", { fields: { id: STRING }, patch: { strategy: ["retainKeys"] } }],
])("parses the expression %j", (expression, shape) => {
  const table = parseShapeTable(`Item id\nOpen? id\nRoot field${expression === "" ? "" : `:${expression}`}\nWhole! id`);
  expect(table("Root").fields!["field"]).toEqual(shape);
});

test("a recursive type is one object", () => {
  const node = parseShapeTable("Node children:[Node]#name odd%20name other:Node!")("Node");
  expect(node.fields!["children"]!.items).toBe(node);
  expect(node.fields!["other"]!.fields).toBe(node.fields);
  expect(node.fields!["odd name"]).toEqual(STRING);
});

test("an unknown type is named in the error", () => {
  expect(() => parseShapeTable("A b:C")("A")).toThrow("no shape is known for the type C");
});
