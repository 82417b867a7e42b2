import { expect, test } from "vitest";
import { type JsonObject, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { OBJECT_META_SHAPE } from "./object-meta.ts";
import { resourceShapeFromSchema, shapeFromSchema } from "./shape-from-schema.ts";

const schemas: { readonly [name: string]: JsonObject } = {
  "example.Port": {
    type: "object",
    properties: { port: { type: "integer", default: 0 }, protocol: { type: "string", default: "TCP" }, name: { type: "string" } },
  },
  "example.Selector": { type: "object", properties: { matchLabels: { type: "object" } }, "x-kubernetes-map-type": "atomic" },
  "example.Tree": { type: "object", properties: { left: { $ref: "#/components/schemas/example.Tree" } } },
};
const resolve = (name: string) => schemas[name];
const ref = (name: string, more: JsonObject = {}): JsonObject => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], ...more });

test.each<[string, JsonObject, JsonObject]>([
  ["scalars", { type: "integer", format: "int32" }, { scalar: "number" }],
  ["bytes are strings", { type: "string", format: "byte" }, { scalar: "string" }],
  ["strings with a custom format are any scalar", { type: "string", format: "email" }, {}],
  ["times by format", { type: "string", format: "date-time" }, { scalar: "time" }],
  ["times by name", ref("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"), { scalar: "microTime" }],
  ["quantities", ref("io.k8s.apimachinery.pkg.api.resource.Quantity"), { scalar: "quantity" }],
  ["raw extensions are atomic", ref("io.k8s.apimachinery.pkg.runtime.RawExtension"), { untyped: true, atomic: true }],
  ["int-or-string", { "x-kubernetes-int-or-string": true }, { scalar: "intOrString" }],
  ["no type", {}, { untyped: true }],
  ["free-form objects", { type: "object" }, { values: { untyped: true } }],
  ["closed objects", { type: "object", additionalProperties: false }, { fields: {} }],
  ["maps", { type: "object", additionalProperties: { type: "string" } }, { values: { scalar: "string" } }],
  ["lists without a list type are atomic", { type: "array", items: { type: "string" } }, { items: { scalar: "string" }, list: "atomic" }],
  ["sets", { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }, { items: { scalar: "string" }, list: "set" }],
  [
    "preserve-unknown-fields applies to declared objects inside",
    {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { a: { type: "object", properties: { b: { type: "string" } } } },
    },
    { fields: { a: { fields: { b: { scalar: "string" } }, values: { untyped: true } } }, values: { untyped: true } },
  ],
  [
    "a merge patch strategy without a list type implies a list map",
    { type: "array", items: { type: "object" }, "x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "name" },
    { items: { values: { untyped: true } }, list: "map", keys: ["name"], patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" } },
  ],
])("shapeFromSchema: %s", (_, schema, shape) => {
  expect(shapeFromSchema(schema, resolve)).toEqual(shape);
});

test("list map keys are sorted and have the defaults of the item schema", () => {
  const ports = shapeFromSchema(
    { type: "array", items: ref("example.Port"), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["protocol", "port"] },
    resolve,
  );
  expect(ports).toMatchObject({ list: "map", keys: ["port", "protocol"], keyDefaults: { port: 0, protocol: "TCP" } });
  expect(ports.items).toBe(shapeFromSchema(schemas["example.Port"]!, resolve));
});

test("a field overrides the map type and patch strategy of its definition", () => {
  expect(shapeFromSchema(ref("example.Selector"), resolve).atomic).toBe(true);
  const overruled = shapeFromSchema(
    ref("example.Selector", { "x-kubernetes-map-type": "granular", "x-kubernetes-patch-strategy": "retainKeys" }),
    resolve,
  );
  expect(overruled).toMatchObject({
    atomic: false,
    patch: { strategy: ["retainKeys"] },
    fields: { matchLabels: { values: UNTYPED_SHAPE } },
  });
  expect(shapeFromSchema(ref("example.Selector"), resolve).atomic).toBe(true);
});

test("a recursive schema gives a recursive shape", () => {
  const tree = shapeFromSchema(ref("example.Tree"), resolve);
  expect(tree.fields?.["left"]).toBe(tree);
});

test("objects and embedded objects have metadata that their schema does not declare", () => {
  expect(resourceShapeFromSchema({ type: "object", properties: { spec: { type: "object" } } }).fields).toMatchObject({
    kind: { scalar: "string" },
    metadata: OBJECT_META_SHAPE,
    spec: { values: UNTYPED_SHAPE },
  });
  const embedded = shapeFromSchema({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });
  expect(embedded.fields?.["metadata"]).toBe(OBJECT_META_SHAPE);
  expect(embedded.values).toBe(UNTYPED_SHAPE);
});
