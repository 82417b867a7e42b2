import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineResource } from "./define-resource.ts";
import { celRule, exactlyOneOf } from "./fields/index.ts";
import { InvalidResource } from "./invalid-resource.ts";
import { CONDITIONS_SCHEMA, OBSERVED_GENERATION_SCHEMA } from "./schema/index.ts";

const base = { group: "cache.example.com", version: "v1", kind: "Memcached" } as const;
const schemaOf = (resource: { crd: ReturnType<typeof defineResource>["crd"] }) => resource.crd().spec.versions[0]!.schema.openAPIV3Schema;

describe("defineResource", () => {
  const Memcached = defineResource({
    ...base,
    description: "A cache.",
    shortNames: ["mc"],
    categories: ["all"],
    labels: { team: "a" },
    annotations: { "example.com/note": "b c" },
    spec: z.object({ size: z.int().min(1).max(9).default(1).describe("How many memcached pods to run.") }),
    status: z.object({ nodes: z.array(z.string()) }),
    conditions: ["Available"],
    columns: [{ name: "Size", path: ".spec.size" }],
  });

  it("returns a complete CustomResourceDefinition", () => {
    expect(Memcached.crd()).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "memcacheds.cache.example.com", labels: { team: "a" }, annotations: { "example.com/note": "b c" } },
      spec: {
        group: "cache.example.com",
        names: {
          kind: "Memcached",
          listKind: "MemcachedList",
          plural: "memcacheds",
          singular: "memcached",
          shortNames: ["mc"],
          categories: ["all"],
        },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: "Size", jsonPath: ".spec.size", type: "integer" }],
            schema: {
              openAPIV3Schema: {
                description: "A cache.",
                type: "object",
                properties: {
                  apiVersion: { type: "string" },
                  kind: { type: "string" },
                  metadata: { type: "object" },
                  spec: {
                    type: "object",
                    default: {},
                    properties: {
                      size: {
                        description: "How many memcached pods to run.",
                        type: "integer",
                        format: "int64",
                        minimum: 1,
                        maximum: 9,
                        default: 1,
                      },
                    },
                  },
                  status: {
                    type: "object",
                    properties: {
                      conditions: CONDITIONS_SCHEMA,
                      nodes: { type: "array", items: { type: "string" } },
                      observedGeneration: OBSERVED_GENERATION_SCHEMA,
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
  });

  it("returns a frozen kind with its shape", () => {
    expect(Memcached).toMatchObject({
      id: "cache.example.com/v1/Memcached",
      apiVersion: "cache.example.com/v1",
      plural: "memcacheds",
      scope: "Namespaced",
      subresources: ["status"],
      conditions: ["Available"],
      crdFileName: "cache.example.com_memcacheds.yaml",
    });
    expect(Memcached.desired({ metadata: { name: "a" }, spec: { size: undefined } }).object).toEqual({
      apiVersion: "cache.example.com/v1",
      kind: "Memcached",
      metadata: { name: "a" },
      spec: {},
    });
    expect(Memcached.shape?.fields?.["status"]?.fields?.["conditions"]).toMatchObject({ list: "map", keys: ["type"] });
    expect(Object.isFrozen(Memcached)).toBe(true);
  });

  it("sorts keys independent of their order in the definition", () => {
    const spec = { a: z.string().default("x").describe("d"), b: z.object({ z: z.int(), y: z.int() }) };
    const one = defineResource({ ...base, spec: z.object(spec) });
    const other = defineResource({ kind: base.kind, version: base.version, group: base.group, spec: z.object({ b: spec.b, a: spec.a }) });
    expect(JSON.stringify(one.crd())).toBe(JSON.stringify(other.crd()));
    expect(schemaOf(one).properties?.["spec"]?.properties?.["b"]?.required).toEqual(["y", "z"]);
  });
});

describe("spec defaults to {} if that is valid, and is required otherwise", () => {
  const cases: [string, z.ZodObject, boolean][] = [
    ["without fields", z.object({}), true],
    ["with only defaults and optional fields", z.object({ a: z.int().default(1), b: z.string().optional() }), true],
    ["with a required field", z.object({ a: z.int() }), false],
    ["with a required field of any type", z.object({ a: z.unknown() }), false],
    ["with exactlyOneOf", exactlyOneOf(z.object({ a: z.int().optional(), b: z.int().optional() }), "a", "b"), false],
    ["with a CEL rule, which only the API server evaluates", celRule(z.object({ a: z.int().default(1) }), "self.a > 1"), false],
  ];
  it.each(cases)("%s", (_, spec, defaulted) => {
    const schema = schemaOf(defineResource({ ...base, spec }));
    expect(schema.properties?.["spec"]?.default).toEqual(defaulted ? {} : undefined);
    expect(schema.required).toEqual(defaulted ? undefined : ["spec"]);
  });
});

describe("status", () => {
  it("is absent without a schema and conditions", () => {
    const Bare = defineResource({ ...base, spec: z.object({}) });
    expect(schemaOf(Bare).properties).not.toHaveProperty("status");
    expect(Bare.subresources).toEqual([]);
    expect(Bare.crd().spec.versions[0]).not.toHaveProperty("subresources");
  });

  it("has no required fields, but keeps the required fields of nested objects", () => {
    const status = z.object({ ready: z.int(), nodes: z.array(z.object({ name: z.string() })) });
    const schema = schemaOf(defineResource({ ...base, spec: z.object({}), status })).properties?.["status"];
    expect(schema?.required).toBeUndefined();
    expect(schema?.properties?.["nodes"]?.items?.required).toEqual(["name"]);
    expect(Object.keys(schema?.properties ?? {})).toEqual(["nodes", "ready"]);
  });

  it("rejects a conditions field in the status schema beside declared conditions", () => {
    const status = z.object({ conditions: z.array(z.string()) });
    expect(() => defineResource({ ...base, spec: z.object({}), status })).not.toThrow();
    expect(() => defineResource({ ...base, spec: z.object({}), status, conditions: ["Ready"] })).toThrow(
      "Memcached status.conditions: conditions: [...] adds this field; remove it from the status schema",
    );
  });
});

it("throws InvalidResource with kind, path and code", () => {
  const define = () => defineResource({ ...base, spec: z.object({ list: z.array(z.object({ at: z.date() })) }) });
  expect(define).toThrow(InvalidResource);
  expect(define).toThrow("Memcached spec.list[].at: a Date cannot be expressed in a CustomResourceDefinition; use timestamp()");
});
