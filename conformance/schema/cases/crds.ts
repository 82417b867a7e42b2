import type { Json, JsonObject } from "pintle/kinds";
import { type CrdCase, group } from "../../../packages/cluster/test/schema/suite.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const open = { "x-kubernetes-preserve-unknown-fields": true };

const base = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `things.${group}` },
  spec: {
    group,
    names: { plural: "things", kind: "Thing" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } as JsonObject } }],
  },
};
type Base = typeof base;

const spec = (name: string, change: JsonObject): CrdCase => ({ name, crd: { ...base, spec: { ...base.spec, ...change } } });
const names = (name: string, change: JsonObject): CrdCase => spec(name, { names: { ...base.spec.names, ...change } });
const version = (name: string, change: JsonObject): CrdCase => spec(name, { versions: [{ ...base.spec.versions[0]!, ...change }] });
const root = (name: string, schema: JsonObject, more: JsonObject = {}): CrdCase =>
  version(name, { schema: { openAPIV3Schema: schema }, ...more });
/** The schema of one field, .spec.v. */
const field = (name: string, schema: JsonObject): CrdCase =>
  root(name, { type: "object", properties: { spec: { type: "object", properties: { v: schema } } } });
const versions = (name: string, ...changes: JsonObject[]): CrdCase =>
  spec(name, { versions: changes.map((change) => ({ ...base.spec.versions[0]!, ...change })) });
const metadata = (name: string, change: JsonObject): CrdCase => ({
  name,
  crd: { ...base, metadata: { ...base.metadata, ...change } } as Base,
});
const webhook = (name: string, change: JsonObject): CrdCase =>
  spec(name, {
    conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a.b" }, ...change } },
  });
const list = (more: JsonObject, items: Json = string): JsonObject => ({ type: "array", items, ...more });
const listMapSchema = (keys: readonly string[], properties: JsonObject, more: JsonObject = {}): JsonObject =>
  list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys }, { type: "object", properties, ...more });

export const crds: readonly CrdCase[] = [
  spec("fine", {}),
  metadata("another name", { name: "other.example.com" }),
  spec("no group", { group: "" }),
  spec("a group without a dot", { group: "example" }),
  spec("a group that is no domain", { group: "Exa_mple.com" }),
  spec("no scope", { scope: "" }),
  spec("an unknown scope", { scope: "Galaxy" }),
  names("no plural", { plural: "" }),
  names("no kind", { kind: "" }),
  names("strange names", {
    plural: "Things",
    singular: "th ing",
    kind: "Th-ing_",
    listKind: "1List",
    shortNames: ["ok", "Not"],
    categories: ["all", "a.b"],
  }),
  names("kind and list kind the same", { listKind: "Thing" }),
  spec("no versions", { versions: [] }),
  versions("two storage versions", {}, { name: "v2" }),
  versions("no storage version", { storage: false }, { name: "v2", storage: false }),
  versions("the same version twice", {}, { storage: false }),
  versions("a version that is no label", { name: "V.1" }),
  versions("versions with different schemas", {}, { name: "v2", storage: false, schema: { openAPIV3Schema: { type: "array" } } }),
  versions("one version without a schema", {}, { name: "v2", storage: false, schema: null }),
  version("no schema", { schema: null }),
  version("an empty schema holder", { schema: {} }),
  spec("preserving unknown fields", { preserveUnknownFields: true }),
  version("a warning but not deprecated", { deprecationWarning: "old" }),
  version("an empty warning", { deprecated: true, deprecationWarning: "" }),
  version("a warning with a line break", { deprecated: true, deprecationWarning: "a\nb" }),
  version("a long warning", { deprecated: true, deprecationWarning: "x".repeat(257) }),
  { name: "a protected group", crd: { ...base, metadata: { name: "things.x.k8s.io" }, spec: { ...base.spec, group: "x.k8s.io" } } },
  {
    name: "a protected group with a wrong note",
    crd: {
      ...base,
      metadata: { name: "things.x.k8s.io", annotations: { "api-approved.kubernetes.io": "me" } },
      spec: { ...base.spec, group: "x.k8s.io" },
    },
  },
  {
    name: "a protected group, unapproved",
    crd: {
      ...base,
      metadata: { name: "things.x.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, test" } },
      spec: { ...base.spec, group: "x.k8s.io" },
    },
  },
  {
    name: "a protected group, approved",
    crd: {
      ...base,
      metadata: { name: "things.x.kubernetes.io", annotations: { "api-approved.kubernetes.io": "https://a.b/c" } },
      spec: { ...base.spec, group: "x.kubernetes.io" },
    },
  },

  root("no type at the root", {}),
  root("another type at the root", { type: "string" }),
  root("nullable at the root", { type: "object", nullable: true }),
  root("additionalProperties at the root", { type: "object", additionalProperties: string }),
  root("kind and apiVersion of other types", { type: "object", properties: { kind: integer, apiVersion: { type: "object" } } }),
  root("metadata of another type", { type: "object", properties: { metadata: string } }),
  root("metadata restricted", {
    type: "object",
    properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 }, generateName: string } } },
  }),
  root("metadata restricted too far", {
    type: "object",
    properties: { metadata: { type: "object", properties: { name: string, labels: { type: "object" } } } },
  }),
  root("metadata described", { type: "object", properties: { metadata: { type: "object", description: "x" } } }),
  root("metadata inside anyOf", {
    type: "object",
    properties: { metadata: { type: "object" } },
    anyOf: [{ properties: { metadata: {} } }],
  }),
  root("a default for metadata", {
    type: "object",
    properties: { metadata: { type: "object", default: {} }, kind: { type: "string", default: "Thing" } },
  }),
  root(
    "status with more at the root",
    { type: "object", properties: { status: { type: "object" } }, minProperties: 1 },
    { subresources: { status: {} } },
  ),
  root(
    "status with required at the root",
    { type: "object", required: ["spec"], properties: { spec: { type: "object" } } },
    { subresources: { status: {} } },
  ),
  root(
    "status with allOf at the root",
    {
      type: "object",
      description: "Thing",
      properties: { a: { type: "integer", enum: [1, 2], default: 1 } },
      allOf: [{ required: ["a"] }],
    },
    { subresources: { status: {} } },
  ),

  field("no type", {}),
  field("an unknown type", { type: "text" }),
  field("type null", { type: "null" }),
  field("a list without items", { type: "array" }),
  field("items without a type", list({}, {})),
  field("items as a list", list({}, [string])),
  field("properties and additionalProperties", { type: "object", properties: { a: string }, additionalProperties: string }),
  field("properties and additionalProperties true", { type: "object", properties: { a: string }, additionalProperties: true }),
  field("properties and additionalProperties false", { type: "object", properties: { a: string }, additionalProperties: false }),
  field("uniqueItems", list({ uniqueItems: true })),
  field("unsupported keywords", {
    type: "object",
    id: "x",
    $ref: "#/a",
    patternProperties: { a: string },
    definitions: { a: string },
    dependencies: { a: ["b"] },
    additionalItems: true,
  }),
  field("$schema", { type: "object", $schema: "http://json-schema.org" }),
  field("a broken pattern", { type: "string", pattern: "(a" }),
  field("a pattern RE2 does not know", { type: "string", pattern: "(?=a)b" }),
  field("a broken pattern inside anyOf", { type: "string", anyOf: [{ pattern: "a**" }] }),
  field("preserve-unknown-fields false", { type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  field("int-or-string with others", {
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-embedded-resource": true,
  }),
  field("int-or-string with a type", { type: "string", "x-kubernetes-int-or-string": true }),
  field("int-or-string with another anyOf", {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }, { type: "boolean" }],
  }),
  field("an embedded resource that is no object", { type: "string", "x-kubernetes-embedded-resource": true }),
  field("an embedded resource without a type", { "x-kubernetes-embedded-resource": true, ...open }),
  field("an empty embedded resource", { type: "object", "x-kubernetes-embedded-resource": true }),
  field("an embedded resource as a map", { type: "object", "x-kubernetes-embedded-resource": true, ...open, additionalProperties: string }),
  field("an embedded resource with wrong metadata", {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { metadata: string, kind: integer },
  }),
  field("an embedded resource in metadata", {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { metadata: { type: "object", properties: { x: { type: "object", "x-kubernetes-embedded-resource": true, ...open } } } },
  }),

  field("everything inside anyOf", {
    type: "object",
    properties: { a: string },
    anyOf: [
      {
        type: "object",
        title: "t",
        description: "d",
        default: {},
        nullable: true,
        additionalProperties: string,
        properties: { a: { type: "string" } },
        "x-kubernetes-preserve-unknown-fields": true,
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-int-or-string": true,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        "x-kubernetes-map-type": "atomic",
      },
    ],
  }),
  field("undeclared inside allOf", { type: "object", allOf: [{ properties: { a: { maxLength: 1 } } }] }),
  field("undeclared inside not and oneOf", {
    type: "object",
    properties: { a: { type: "object" } },
    not: { properties: { a: { properties: { b: {} } } } },
    oneOf: [{ items: { minimum: 1 } }],
  }),
  field("rules inside allOf", { type: "object", allOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] }),

  field("a map type on a string", { type: "string", "x-kubernetes-map-type": "atomic" }),
  field("a map type without a type", { ...open, "x-kubernetes-map-type": "atomic" }),
  field("an unknown map type", { type: "object", "x-kubernetes-map-type": "loose" }),
  field("a list type on an object", { type: "object", "x-kubernetes-list-type": "set" }),
  field("a list type without a type", { ...open, "x-kubernetes-list-type": "set" }),
  field("an unknown list type", list({ "x-kubernetes-list-type": "bag" })),
  field("a set of objects", list({ "x-kubernetes-list-type": "set" }, { type: "object", properties: { a: string } })),
  field(
    "a set of atomic objects",
    list({ "x-kubernetes-list-type": "set" }, { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: string } }),
  ),
  field("a set of sets", list({ "x-kubernetes-list-type": "set" }, list({ "x-kubernetes-list-type": "set" }))),
  field("a set of lists", list({ "x-kubernetes-list-type": "set" }, list({}))),
  field("a set of nullables", list({ "x-kubernetes-list-type": "set" }, { type: "string", nullable: true })),
  field("keys without a list type", list({ "x-kubernetes-list-map-keys": ["a"] }, { type: "object", properties: { a: string } })),
  field("keys on a set", list({ "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] })),
  field("a keyed list without keys", list({ "x-kubernetes-list-type": "map" }, { type: "object", properties: { a: string } })),
  field("a keyed list of strings", list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] })),
  field("keys that are no fields", listMapSchema(["a", "b"], { a: string }, { required: ["a"] })),
  field("keys that repeat", listMapSchema(["a", "a"], { a: string }, { required: ["a"] })),
  field("keys that are objects", listMapSchema(["a"], { a: { type: "object" } }, { required: ["a"] })),
  field("keys that may be missing", listMapSchema(["a", "b"], { a: string, b: { type: "string", default: "x" } })),
  field("keys that may be null", listMapSchema(["a"], { a: { type: "string", nullable: true } }, { required: ["a"], nullable: true })),

  field("a default of another type", { type: "integer", default: "x" }),
  field("a default that breaks rules", { type: "string", default: "abc", maxLength: 2, enum: ["a"] }),
  field("a default with unknown fields", { type: "object", default: { a: "x", b: 1 }, properties: { a: string } }),
  field("a default with a wrong field", { type: "object", default: { a: 5 }, properties: { a: { type: "string" } }, required: ["c"] }),
  field("a default in a list", list({}, { type: "object", properties: { a: { type: "integer", default: 0, minimum: 1 } } })),
  field("a default inside additionalProperties", { type: "object", additionalProperties: { type: "string", default: "x" } }),
  field("a default for an embedded resource", {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    ...open,
    default: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a/b/c": "d" } } },
  }),
  field("a default for an untyped embedded resource", {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    ...open,
    default: { spec: {} },
  }),
  field("a default in embedded metadata", {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", default: "a/b" } } },
      kind: { type: "string", default: "" },
    },
  }),
  spec("defaults while preserving", {
    preserveUnknownFields: true,
    versions: [
      { ...base.spec.versions[0]!, schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: "x" } } } } },
    ],
  }),

  version("a column without anything", { additionalPrinterColumns: [{ name: "", type: "", jsonPath: "" }] }),
  version("a column of unknown type and format", {
    additionalPrinterColumns: [{ name: "A", type: "text", format: "wide", jsonPath: "spec.a" }],
  }),
  version("columns that are fine", {
    additionalPrinterColumns: [{ name: "A", type: "string", format: "date-time", jsonPath: ".spec.a", priority: 1, description: "x" }],
  }),
  versions(
    "columns of one version",
    {},
    { name: "v2", storage: false, additionalPrinterColumns: [{ name: "A", type: "x", jsonPath: ".a" }] },
  ),
  root(
    "selectable fields",
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: string, o: { type: "object" }, n: { type: "number" } } },
        metadata: { type: "object", properties: { name: string } },
      },
    },
    {
      selectableFields: [
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec.o" },
        { jsonPath: ".spec.n" },
        { jsonPath: ".spec.x" },
        { jsonPath: ".metadata.name" },
        { jsonPath: "spec.a" },
        { jsonPath: ".spec['a']" },
        { jsonPath: "" },
        { jsonPath: "." },
      ],
    },
  ),
  root(
    "too many selectable fields",
    {
      type: "object",
      properties: { spec: { type: "object", properties: Object.fromEntries([..."abcdefghi"].map((name) => [name, string])) } },
    },
    { selectableFields: [..."abcdefghi"].map((name) => ({ jsonPath: `.spec.${name}` })) },
  ),
  version("scale without paths", { subresources: { scale: { specReplicasPath: "", statusReplicasPath: "" } } }),
  version("scale with strange paths", {
    subresources: {
      scale: { specReplicasPath: "spec.replicas", statusReplicasPath: ".spec.replicas", labelSelectorPath: ".metadata.labels" },
    },
  }),
  version("scale that is fine", {
    subresources: {
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" },
      status: {},
    },
  }),

  spec("an unknown conversion", { conversion: { strategy: "Magic" } }),
  spec("no conversion strategy", { conversion: { strategy: "" } }),
  spec("a webhook without need", {
    conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a.b" } } },
  }),
  spec("no webhook", { conversion: { strategy: "Webhook" } }),
  webhook("a webhook that is fine", {}),
  webhook("a webhook without a place", { clientConfig: {} }),
  webhook("a webhook with two places", { clientConfig: { url: "https://a.b", service: { name: "a", namespace: "b" } } }),
  webhook("a webhook with a strange address", { clientConfig: { url: "http://user:pw@/x?y=z#f" } }),
  webhook("a webhook with a broken address", { clientConfig: { url: "http://a b" } }),
  webhook("a webhook service", { clientConfig: { service: { name: "a", namespace: "b", path: "/x//Y" } } }),
  webhook("a webhook service without names", { clientConfig: { service: { name: "", namespace: "", port: 0, path: "x" } } }),
  webhook("a webhook service on port 70000", { clientConfig: { service: { name: "a", namespace: "b", port: 70000 } } }),
  webhook("no review versions", { conversionReviewVersions: [] }),
  webhook("unknown review versions", { conversionReviewVersions: ["v9", "v9", "V_1"] }),

  field("formats that check nothing", {
    type: "object",
    properties: {
      a: { type: "string", format: "toString" },
      b: { type: "integer", format: "int16" },
      c: { type: "boolean", format: "int16" },
      d: { type: "string", format: "date-time" },
      e: { type: "array", items: { type: "number", format: "int32" } },
      f: { "x-kubernetes-int-or-string": true, format: "port" },
    },
  }),
  versions(
    "a format that checks nothing, twice",
    { schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", format: "wide" } } } } },
    { name: "v2", storage: false, schema: { openAPIV3Schema: { type: "object", properties: { b: { type: "string", format: "wide" } } } } },
  ),

  field("a rule without text", { type: "string", "x-kubernetes-validations": [{ rule: " " }] }),
  field("rules with strange messages", {
    type: "object",
    properties: { a: string },
    "x-kubernetes-validations": [
      { rule: "true", message: " " },
      { rule: "true", message: "a\nb" },
      { rule: "true &&\ntrue" },
      { rule: "true", messageExpression: " " },
      { rule: "true", reason: "Because" },
      { rule: "true", fieldPath: " " },
      { rule: "true", fieldPath: ".b" },
      { rule: "true", fieldPath: "a" },
    ],
  }),
];
