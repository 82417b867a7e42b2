import type { SchemaCase, SchemaSuite } from "../../../packages/cluster/test/schema/suite.ts";
import { createFieldSuite, createSpecSuite } from "../../../packages/cluster/test/schema/suite.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const preserve = { "x-kubernetes-preserve-unknown-fields": true };
const strict = (suite: SchemaSuite): SchemaSuite => ({
  ...suite,
  name: `${suite.name}strict`,
  cases: suite.cases.map((one): SchemaCase => ({ ...one, strict: true })),
});

const pruning = createSpecSuite(
  "pruning",
  {
    type: "object",
    properties: {
      a: string,
      list: { type: "array", items: { type: "object", properties: { x: integer } } },
      map: { type: "object", additionalProperties: { type: "object", properties: { y: integer } } },
    },
  },
  {
    nothing: { a: "x" },
    field: { a: "x", b: 1 },
    inList: { list: [{ x: 1, z: 1 }, { z: { deep: 1 } }] },
    inMap: { map: { k: { y: 1, z: 2 } } },
    several: { c: 1, b: { d: 1 }, list: [{ q: 1 }] },
    "odd names": { "a.b": 1, "c/d": 2, __proto: 3 },
  },
);
const preserving = createSpecSuite(
  "preserving",
  {
    type: "object",
    ...preserve,
    properties: {
      a: { type: "object", properties: { x: integer } },
      list: { type: "array", items: { type: "object", properties: { x: { type: "object", properties: { y: integer } } } } },
    },
  },
  { unknown: { free: { deep: [1, { b: 2 }] } }, inside: { a: { x: 1, z: 2 } }, inList: { list: [{ free: 1, x: { y: 1, z: 2 } }] } },
);
const preservingList = createSpecSuite(
  "preservinglist",
  {
    type: "object",
    properties: {
      list: { type: "array", ...preserve, items: { type: "object", properties: { x: { type: "object", properties: { y: integer } } } } },
    },
  },
  {
    items: { list: [{ free: 1, x: { y: 1, z: 2 } }] },
  },
);
const rootFields: SchemaSuite = {
  name: "rootfields",
  schema: { type: "object", properties: { spec: { type: "object", properties: { a: string } } } },
  cases: [
    { name: "unknown at the root", object: { spec: { a: "x" }, extra: 1, data: {} } },
    {
      name: "unknown metadata",
      object: {
        metadata: {
          name: "case-1",
          labels: { a: "b" },
          color: "red",
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b", shade: 1 }],
        },
      },
    },
    { name: "empty metadata", object: { metadata: { name: "case-2", labels: {}, annotations: null, finalizers: [] } } },
    { name: "labels of a wrong type", object: { metadata: { name: "case-3", labels: { a: 1 } } } },
    { name: "metadata of a wrong type", object: { metadata: { name: "case-4", annotations: "x" } } },
    { name: "finalizers of a wrong type", object: { metadata: { name: "case-5", finalizers: "x" } } },
    { name: "generation of a wrong type", object: { metadata: { name: "case-6", generation: 1.5 } } },
    {
      name: "owner of a wrong type",
      object: { metadata: { name: "case-7", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: 5, uid: "b" }] } },
    },
    { name: "time of a wrong form", object: { metadata: { name: "case-8", creationTimestamp: "yesterday" } } },
    { name: "time of a wrong type", object: { metadata: { name: "case-9", deletionTimestamp: 5 } } },
  ],
};
const embedded: SchemaSuite = createSpecSuite(
  "embedded",
  { type: "object", properties: { o: { type: "object", "x-kubernetes-embedded-resource": true, ...preserve } } },
  {
    ok: { o: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { any: 1 } } },
    noType: { o: {} },
    noKind: { o: { apiVersion: "v1" } },
    emptyKind: { o: { apiVersion: "", kind: "" } },
    badKind: { o: { apiVersion: "a/b/c", kind: "Bad_Kind" } },
    wrongTypes: { o: { apiVersion: 1, kind: "Pod" } },
    wrongKind: { o: { apiVersion: "v1", kind: [] } },
    unknownMetadata: { o: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", color: "red", labels: {} } } },
    badLabels: { o: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a/b/c": "x", ok: "-bad-" } } } },
    badMetadata: { o: { apiVersion: "v1", kind: "Pod", metadata: { labels: 5 } } },
    badNames: { o: { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b", generateName: "c%", namespace: "Big.One", generation: -1 } } },
    metadataString: { o: { apiVersion: "v1", kind: "Pod", metadata: "x" } },
    annotations: {
      o: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { annotations: { "UPPER/Case": "x", "b d": "" }, finalizers: ["a b", "orphan", "foregroundDeletion"] },
      },
    },
    owners: {
      o: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          ownerReferences: [
            { kind: "A" },
            { apiVersion: "v1", kind: "B", name: "b", uid: "1", controller: true },
            { apiVersion: "v1", kind: "C", name: "c", uid: "2", controller: true },
          ],
        },
      },
    },
    zone: { o: { apiVersion: "v1", kind: "Pod", metadata: { creationTimestamp: "2024-01-01T02:00:00+02:00" } } },
  },
);
const embeddedTyped = createSpecSuite(
  "embeddedtyped",
  {
    type: "object",
    properties: {
      o: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object", properties: { a: integer } } } },
    },
  },
  { unknown: { o: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: 1, b: 2 }, other: 1 } } },
);

export const shaping: readonly SchemaSuite[] = [
  pruning,
  strict(pruning),
  preserving,
  strict(preserving),
  preservingList,
  rootFields,
  strict(rootFields),
  embedded,
  strict(embedded),
  embeddedTyped,
  strict(embeddedTyped),
  createSpecSuite(
    "defaults",
    {
      type: "object",
      default: {},
      properties: {
        s: { type: "string", default: "x" },
        n: { type: "integer", default: 0 },
        b: { type: "boolean", default: false },
        o: { type: "object", default: { a: 1 }, properties: { a: integer, b: { type: "integer", default: 2 } } },
        p: { type: "object", properties: { q: { type: "string", default: "deep" } } },
        l: {
          type: "array",
          default: [{ a: 1 }],
          items: { type: "object", properties: { a: integer, b: { type: "string", default: "item" } } },
        },
        m: { type: "object", additionalProperties: { type: "object", properties: { v: { type: "integer", default: 5 } } } },
      },
    },
    {
      empty: {},
      given: { s: "", n: 5, b: true, o: {}, p: {}, l: [], m: { k: {} } },
      items: { l: [{}, { b: "z" }] },
      nulls: { s: null, n: null, o: null, p: null, l: null, m: null },
    },
  ),
  {
    name: "rootdefault",
    schema: {
      type: "object",
      properties: {
        spec: { type: "object", default: { a: "x" }, properties: { a: string } },
        status: { type: "object", default: { phase: "New" }, properties: { phase: string } },
      },
    },
    cases: [
      { name: "nothing", object: {} },
      { name: "empty", object: { spec: {} } },
    ],
  },
  createSpecSuite(
    "nulls",
    {
      type: "object",
      properties: {
        plain: string,
        nullable: { type: "string", nullable: true },
        preset: { type: "string", default: "x" },
        both: { type: "string", nullable: true, default: "x" },
        list: { type: "array", items: string },
        presets: { type: "array", items: { type: "string", default: "i" } },
        map: { type: "object", additionalProperties: string },
        nullableMap: { type: "object", additionalProperties: { type: "string", nullable: true } },
        presetMap: { type: "object", additionalProperties: { type: "string", default: "v" } },
        free: { ...preserve },
        nested: { type: "object", properties: { a: string } },
      },
    },
    {
      scalars: { plain: null, nullable: null, preset: null, both: null },
      lists: { list: ["a", null] },
      presetItems: { presets: ["a", null] },
      maps: { map: { a: null }, nullableMap: { a: null } },
      presetMaps: { presetMap: { a: null, b: "x" } },
      free: { free: { a: null, b: [null] } },
      freeNull: { free: null },
      nested: { nested: { a: null } },
    },
  ),
  createFieldSuite(
    "defaultnull",
    { type: "object", nullable: true, properties: { a: { type: "string", default: "x" } } },
    { null: null, empty: {} },
  ),
  // Names of properties that every JavaScript object inherits.
  createSpecSuite(
    "inherited",
    {
      type: "object",
      required: ["toString"],
      properties: {
        toString: string,
        constructor: { type: "object", properties: { name: { type: "string", default: "x" } } },
        valueOf: { type: "object", default: {}, properties: { hasOwnProperty: { type: "integer", default: 1 } } },
        format: { type: "string", format: "constructor" },
        keyed: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["constructor"],
          items: { type: "object", required: ["constructor"], properties: { constructor: string } },
        },
      },
    },
    {
      nothing: {},
      some: { toString: "x", constructor: {}, format: "y" },
      keys: { toString: "x", keyed: [{ constructor: "a" }, { constructor: "a" }] },
      unknown: { toString: "x", isPrototypeOf: 1, valueOf: { constructor: 1 } },
    },
  ),
];
