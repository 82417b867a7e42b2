import { expect, test } from "vitest";
import { toSwaggerDefinition, toSwaggerSchema } from "./swagger-schema.ts";

// Recorded from kube-apiserver: the OpenAPI v2 form of schema fields of a CRD.
test.each([
  [{ type: "string", allOf: [{ minLength: 2 }], not: { enum: ["zz"] } }, { type: "string" }],
  [{ "x-kubernetes-preserve-unknown-fields": true }, { "x-kubernetes-preserve-unknown-fields": true }],
  [
    { type: "object", properties: { a: { type: "string" } }, "x-kubernetes-preserve-unknown-fields": true },
    { "x-kubernetes-preserve-unknown-fields": true },
  ],
  [
    { type: "object", additionalProperties: true },
    { type: "object", additionalProperties: true },
  ],
  [
    { type: "object", additionalProperties: { type: "integer", nullable: true } },
    { type: "object", additionalProperties: {} },
  ],
  [
    { type: "string", default: "x", enum: ["x", "y"] },
    { type: "string", enum: ["x", "y"] },
  ],
  [
    { type: "object", oneOf: [{ required: ["a"] }], properties: { a: { type: "integer" } } },
    { type: "object", properties: { a: { type: "integer" } } },
  ],
  [
    { pattern: "x", anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
    { pattern: "x", "x-kubernetes-int-or-string": true },
  ],
  [{ type: "array", nullable: true, items: { type: "string" } }, {}],
  [{ description: "may be null", type: "string", nullable: true }, { description: "may be null" }],
  [
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    { format: "int-or-string", type: "string" },
  ],
  [
    { description: "d", default: {}, allOf: [{ $ref: "#/components/schemas/a.B" }] },
    { description: "d", $ref: "#/definitions/a.B" },
  ],
])("converts %j", (published, swagger) => {
  expect(toSwaggerSchema(published)).toEqual(swagger);
});

test("publishes a custom resource that preserves unknown fields at its root as a bare object", () => {
  const kinds = [{ group: "example.com", version: "v1", kind: "Widget" }];
  const schema = {
    type: "object",
    description: "Anything.",
    properties: { spec: { type: "object" } },
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-group-version-kind": kinds,
  };
  expect(toSwaggerDefinition(schema)).toEqual({ type: "object", "x-kubernetes-group-version-kind": kinds });
});
