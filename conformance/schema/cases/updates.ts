import { createSpecSuite, type SchemaSuite } from "../../../packages/cluster/test/schema/suite.ts";

const loose = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "integer" },
        b: { type: "string" },
        o: { type: "object", properties: { x: { type: "integer" }, y: { type: "string" } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { x: { type: "integer" } } },
        atomic: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } },
        keyed: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", required: ["name"], properties: { name: { type: "string" }, n: { type: "integer" } } },
        },
        set: { type: "array", items: { type: "string" } },
        map: { type: "object", additionalProperties: { type: "integer" } },
        any: { type: "integer" },
      },
    },
  },
};
const tight = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "integer", maximum: 5 },
        b: { type: "string", enum: ["x"] },
        o: {
          type: "object",
          required: ["z"],
          properties: { x: { type: "integer", maximum: 5 }, y: { type: "string" }, z: { type: "string" } },
        },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          required: ["z"],
          properties: { x: { type: "integer", maximum: 5 } },
        },
        atomic: { type: "array", maxItems: 2, items: { type: "object", properties: { n: { type: "integer", maximum: 5 } } } },
        keyed: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", required: ["name"], properties: { name: { type: "string" }, n: { type: "integer", maximum: 5 } } },
        },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        map: { type: "object", additionalProperties: { type: "integer", maximum: 5 } },
        any: { type: "integer", anyOf: [{ maximum: 5 }, { minimum: 100 }] },
      },
    },
  },
};
const change = (name: string, old: object, next: object) => ({ name, old: { spec: old as any }, object: { spec: next as any } });

export const updates: readonly SchemaSuite[] = [
  {
    name: "ratcheting",
    before: loose,
    schema: tight,
    cases: [
      change("unchanged", { a: 9, b: "y" }, { a: 9, b: "y" }),
      change("changed beside it", { a: 9, b: "y" }, { a: 9, b: "x" }),
      change("changed to another wrong value", { a: 9 }, { a: 8 }),
      change("new wrong value", {}, { a: 9 }),
      change("missing field in an unchanged object", { o: { x: 1 } }, { o: { x: 1 }, a: 1 }),
      change("missing field in a changed object", { o: { x: 1 } }, { o: { x: 2 } }),
      change("wrong field kept in a changed object", { o: { x: 9, y: "1" } }, { o: { x: 9, y: "2", z: "1" } }),
      change("free object with unknown fields, unchanged", { free: { u: 1 } }, { free: { u: 1 }, a: 1 }),
      change("free object without unknown fields, unchanged", { free: { x: 9 } }, { free: { x: 9 }, a: 1 }),
      change("atomic list unchanged", { atomic: [{ n: 9 }] }, { atomic: [{ n: 9 }], a: 1 }),
      change("atomic list with one more", { atomic: [{ n: 9 }] }, { atomic: [{ n: 9 }, { n: 1 }] }),
      change("atomic list too long, unchanged", { atomic: [{}, {}, {}] }, { atomic: [{}, {}, {}], a: 1 }),
      change(
        "keyed list with one more",
        { keyed: [{ name: "a", n: 9 }] },
        {
          keyed: [
            { name: "b", n: 1 },
            { name: "a", n: 9 },
          ],
        },
      ),
      change("keyed list changed item", { keyed: [{ name: "a", n: 9 }] }, { keyed: [{ name: "a", n: 8 }] }),
      change(
        "keyed list reordered",
        {
          keyed: [
            { name: "a", n: 9 },
            { name: "b", n: 1 },
          ],
        },
        {
          keyed: [
            { name: "b", n: 1 },
            { name: "a", n: 9 },
          ],
        },
      ),
      change(
        "keyed list new wrong item",
        { keyed: [{ name: "a", n: 9 }] },
        {
          keyed: [
            { name: "a", n: 9 },
            { name: "b", n: 9 },
          ],
        },
      ),
      change("set with twins, unchanged", { set: ["a", "a"] }, { set: ["a", "a"], a: 1 }),
      change("set with twins, changed", { set: ["a", "a"] }, { set: ["a", "a", "b", "b"] }),
      change("set made wrong", { set: ["a"] }, { set: ["a", "a"] }),
      change("map value kept", { map: { k: 9 } }, { map: { k: 9, l: 1 } }),
      change("map value new", { map: { k: 1 } }, { map: { k: 1, l: 9 } }),
      change("anyOf unchanged", { any: 9 }, { any: 9, a: 1 }),
      change("anyOf changed", { any: 9 }, { any: 10 }),
    ],
  },
  createSpecSuite(
    "statuspart",
    {},
    {},
    {
      schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { a: { type: "integer", maximum: 5 } } },
          status: {
            type: "object",
            required: ["phase"],
            properties: {
              phase: { type: "string", enum: ["Ready"] },
              n: { type: "integer", minimum: 1 },
              l: { type: "array", items: { type: "integer" } },
            },
          },
        },
      },
      version: { subresources: { status: {} } },
      cases: [
        { name: "create drops status", object: { spec: { a: 1 }, status: { phase: "Ready" } } },
        { name: "create does not look at status", object: { spec: { a: 1 }, status: { phase: "Other", n: 0 } } },
        { name: "status update", old: { spec: { a: 1 } }, object: { spec: { a: 9 }, status: { phase: "Ready" } }, status: true },
        { name: "wrong status", old: { spec: { a: 1 } }, object: { status: { phase: "Other", n: 0, l: ["x"] } }, status: true },
        { name: "status without phase", old: { spec: { a: 1 } }, object: { status: {} }, status: true },
        { name: "status of a wrong type", old: { spec: { a: 1 } }, object: { status: "x" }, status: true },
        { name: "no status", old: { spec: { a: 1 } }, object: { spec: {} }, status: true },
        {
          name: "spec update keeps status",
          old: { spec: { a: 1 }, status: { phase: "Ready" } },
          object: { spec: { a: 2 }, status: { phase: "Other" } },
        },
        { name: "unknown status field", old: { spec: { a: 1 } }, object: { status: { phase: "Ready", z: 1 } }, status: true },
      ],
    },
  ),
  createSpecSuite(
    "scaled",
    {},
    {},
    {
      schema: {
        type: "object",
        properties: {
          spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
      version: {
        subresources: {
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" },
        },
      },
      cases: [
        { name: "ok", object: { spec: { replicas: 3 }, status: { replicas: 1, selector: "a=b" } } },
        { name: "none", object: {} },
        { name: "negative", object: { spec: { replicas: -1 }, status: { replicas: -2 } } },
        { name: "too big", object: { spec: { replicas: 3000000000 } } },
        { name: "wrong types", object: { spec: { replicas: "3" }, status: { replicas: 1.5, selector: { a: "b", c: [1, true, null] } } } },
        { name: "null", object: { spec: { replicas: null } } },
      ],
    },
  ),
];
