import { InvalidResource } from "pintle/internal/resource";
import type { JsonObject } from "pintle/kinds";
import { describe, expect, it } from "vitest";
import { refusals } from "./refusals.ts";
import { resourceOf } from "./shape.ts";
import { shapes } from "./shapes.ts";

const table = shapes.map((shape, i) => ({ ...shape, number: i }));

describe("the shape table", () => {
  it("has at least 80 shapes with one valid and two invalid objects each", () => {
    expect(shapes.length).toBeGreaterThanOrEqual(80);
    expect(new Set([...shapes, ...refusals].map(({ name }) => name)).size).toBe(shapes.length + refusals.length);
  });

  it.each(table)("$name: emits the expected schema keywords", ({ says, number, ...shape }) => {
    const schema = resourceOf(shape, number).crd().spec.versions[0]!.schema.openAPIV3Schema;
    expect([...keywordsOf(schema)]).toEqual(expect.arrayContaining([...says]));
  });

  it("covers every keyword of structural schemas", () => {
    const emitted = new Set(table.flatMap((shape) => shape.says));
    expect(EVERY.filter((keyword) => !emitted.has(keyword))).toEqual([]);
  });

  it.each(refusals)("$name: rejected with the field and advice", ({ spec, path, advice }) => {
    const define = () => resourceOf({ spec: spec() }, 0);
    expect(define).toThrow(InvalidResource);
    expect(define).toThrow(expect.objectContaining({ path, message: expect.stringContaining(advice) }));
  });
});

const EVERY = [
  ...["type", "format", "pattern", "enum", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minItems", "maxItems", "minProperties", "maxProperties", "required", "properties", "additionalProperties", "items"],
  ...["allOf", "anyOf", "oneOf", "not", "nullable", "default", "title", "description", "example", "externalDocs"],
  ...["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-type"],
  ...["x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations"],
];

function keywordsOf(schema: unknown): Set<string> {
  if (Array.isArray(schema)) return new Set(schema.flatMap((one) => [...keywordsOf(one)]));
  if (schema === null || typeof schema !== "object") return new Set();
  return new Set(Object.entries(schema as JsonObject).flatMap(([key, value]) => [key, ...keywordsOf(value)]));
}
