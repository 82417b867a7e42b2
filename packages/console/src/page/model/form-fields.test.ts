import { expect, test } from "vitest";
import { checkValue, formatLimits, formatType, listFields, parseInput, withMetadata } from "./form-fields.ts";

const schema = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10 },
    ports: { type: "array", items: { type: "object", properties: { name: { type: "string", maxLength: 3 } } } },
    mode: { type: "string", enum: ["a", "b"] },
  },
};

test("lists fields with parents first, and items of lists below their list", () => {
  expect(listFields(schema).map(({ name, level, required, leaf }) => [name, level, required, leaf])).toEqual([
    [".size", 0, true, true],
    [".ports", 0, false, false],
    [".ports[].name", 1, false, true],
    [".mode", 0, false, true],
  ]);
});

test("refuses values in the words of the schema", () => {
  expect(checkValue(schema.properties.size, 12)).toBe("should be less than or equal to 10");
  expect(checkValue(schema.properties.size, 0)).toBe("should be greater than or equal to 1");
  expect(checkValue(schema.properties.size, parseInput(schema.properties.size, "x"))).toBe("should be an integer");
  expect(checkValue(schema.properties.mode, "c")).toBe('supported values: "a", "b"');
  expect([checkValue(schema.properties.size, 3), checkValue(schema.properties.size, parseInput(schema.properties.size, ""))]).toEqual([
    undefined,
    undefined,
  ]);
});

test("names types and limits", () => {
  expect(formatType({ type: "array", items: { type: "string" } })).toBe("array of string");
  expect(formatType({ type: "object", additionalProperties: { type: "integer" } })).toBe("map of integer");
  expect(formatLimits(schema.properties.size)).toEqual(["at least 1", "at most 10"]);
});

test("adds name and namespace where the schema leaves metadata to the server, and only there", () => {
  const custom = { properties: { metadata: { type: "object" }, spec: {} } };
  expect(listFields(withMetadata(custom)).map(({ name }) => name)).toEqual([".metadata", ".metadata.name", ".metadata.namespace", ".spec"]);
  expect(withMetadata(schema)).toBe(schema);
});
