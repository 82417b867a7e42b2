import { expect, test } from "vitest";
import { swaggerSchema } from "./swagger-schema.ts";

// What a real server makes of a CRD's schema, field by field.
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
])("%j", (published, swagger) => {
  expect(swaggerSchema(published)).toEqual(swagger);
});
