import { createFieldSuite, createSpecSuite, type SchemaSuite } from "../../../packages/cluster/test/schema/suite.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const any = { "x-kubernetes-preserve-unknown-fields": true };

export const structures: readonly SchemaSuite[] = [
  createFieldSuite(
    "items",
    { type: "array", items: integer },
    { ok: [1, 2], empty: [], wrong: [1, "a", true], nulls: [null, 1], nested: [[1]] },
  ),
  createFieldSuite("itemsnullable", { type: "array", items: { type: "string", nullable: true } }, { nulls: ["a", null], wrong: [1] }),
  createFieldSuite("maxitems", { type: "array", items: integer, maxItems: 2 }, { ok: [1, 2], over: [1, 2, 3] }),
  createFieldSuite("maxitemsone", { type: "array", items: integer, maxItems: 1 }, { over: [1, 2, 3] }),
  createFieldSuite("minitems", { type: "array", items: integer, minItems: 1 }, { ok: [1], empty: [] }),
  createFieldSuite(
    "minproperties",
    { type: "object", minProperties: 2, additionalProperties: integer },
    { ok: { a: 1, b: 2 }, few: { a: 1 }, none: {} },
  ),
  createFieldSuite(
    "maxproperties",
    { type: "object", maxProperties: 1, additionalProperties: integer },
    { ok: { a: 1 }, many: { a: 1, b: 2, c: 3 } },
  ),
  createFieldSuite(
    "required",
    { type: "object", required: ["a", "b"], properties: { a: string, b: string } },
    { ok: { a: "x", b: "" }, none: {}, one: { a: "x" }, null: { a: null, b: "y" } },
  ),
  createFieldSuite(
    "additional",
    { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
    { ok: { a: 1 }, wrong: { a: "x", "b.c": -1 }, null: { a: null } },
  ),
  createFieldSuite(
    "additionaltrue",
    { type: "object", additionalProperties: true },
    { scalars: { a: 1, b: "x" }, objects: { a: { b: 1 } }, lists: { a: [{ b: 1 }, 2] } },
  ),
  createFieldSuite(
    "additionalobject",
    { type: "object", additionalProperties: { type: "object", required: ["x"], properties: { x: integer } } },
    { ok: { a: { x: 1 } }, wrong: { a: {}, b: { x: "1" } }, unknown: { a: { x: 1, y: 2 } } },
  ),
  createFieldSuite(
    "mapoflists",
    { type: "object", additionalProperties: { type: "array", items: { type: "object", properties: { n: integer } } } },
    { wrong: { a: [{ n: "x" }] }, unknown: { a: [{ m: 1 }] } },
  ),
  createSpecSuite(
    "rootrequired",
    { type: "object" },
    { ok: {} },
    {
      schema: {
        type: "object",
        required: ["spec", "other"],
        properties: { spec: { type: "object", properties: { a: integer } }, other: string },
      },
      cases: [
        { name: "both missing", object: {} },
        { name: "one missing", object: { spec: { a: 1 } } },
        { name: "wrong at the root", object: { spec: {}, other: 5 } },
      ],
    },
  ),
  createSpecSuite(
    "deep",
    {
      type: "object",
      properties: {
        a: {
          type: "array",
          items: {
            type: "object",
            properties: { b: { type: "object", properties: { c: { type: "array", items: { type: "integer", maximum: 3 } } } } },
          },
        },
      },
    },
    {
      ok: { a: [{ b: { c: [1, 2] } }] },
      wrong: { a: [{ b: { c: [1, 4] } }, { b: { c: "x" } }, 5] },
      unknown: { a: [{ b: { c: [], d: 1 }, e: {} }] },
    },
  ),

  createFieldSuite("allof", { type: "integer", allOf: [{ minimum: 1 }, { maximum: 5 }] }, { ok: 3, low: 0, high: 6 }),
  createFieldSuite("allofnone", { type: "integer", allOf: [{ minimum: 10 }, { multipleOf: 2 }] }, { none: 5, one: 4, ok: 12 }),
  createFieldSuite(
    "anyof",
    { type: "string", anyOf: [{ pattern: "^a" }, { maxLength: 2 }] },
    { first: "abc", second: "bb", none: "bcd", number: 5 },
  ),
  createFieldSuite("oneof", { type: "integer", oneOf: [{ minimum: 5 }, { maximum: 10 }] }, { low: 1, both: 7, high: 20 }),
  createFieldSuite("oneofnone", { type: "string", oneOf: [{ pattern: "^a" }, { pattern: "^b" }] }, { a: "a1", none: "c" }),
  createFieldSuite("not", { type: "string", not: { pattern: "^x" } }, { ok: "a", wrong: "xa" }),
  createFieldSuite(
    "oneofrequired",
    { type: "object", properties: { a: string, b: string, c: string }, oneOf: [{ required: ["a"] }, { required: ["b", "c"] }] },
    {
      a: { a: "1" },
      bc: { b: "1", c: "2" },
      none: {},
      half: { b: "1" },
      all: { a: "1", b: "2", c: "3" },
    },
  ),
  createFieldSuite(
    "anyofproperties",
    {
      type: "object",
      properties: { kind: string, size: integer, name: string },
      anyOf: [
        { required: ["kind", "size"], properties: { kind: { enum: ["disk"] }, size: { minimum: 1 } } },
        { required: ["kind", "name"], properties: { kind: { enum: ["net"] }, name: { minLength: 1 } } },
      ],
    },
    {
      disk: { kind: "disk", size: 3 },
      zero: { kind: "disk", size: 0 },
      net: { kind: "net", name: "x" },
      unnamed: { kind: "net", name: "" },
      nothing: {},
      other: { kind: "other" },
    },
  ),
  createFieldSuite(
    "nestedjunctors",
    {
      type: "integer",
      anyOf: [{ allOf: [{ minimum: 5 }, { maximum: 6 }] }, { not: { maximum: 100 } }, { oneOf: [{ enum: [1] }, { enum: [2] }] }],
    },
    { one: 1, three: 3, five: 5, big: 101 },
  ),
  createFieldSuite(
    "junctoritems",
    { type: "array", items: integer, anyOf: [{ items: { minimum: 5 } }, { maxItems: 1 }] },
    { ok: [6, 7], single: [1], wrong: [6, 1] },
  ),
  createFieldSuite(
    "notrequired",
    { type: "object", properties: { a: string, b: string }, not: { required: ["a", "b"] } },
    { one: { a: "x" }, both: { a: "x", b: "y" } },
  ),

  createFieldSuite(
    "listset",
    { type: "array", "x-kubernetes-list-type": "set", items: string },
    { ok: ["a", "b"], twice: ["a", "b", "a"], thrice: ["a", "a", "a"] },
  ),
  createFieldSuite(
    "listsetnumbers",
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "number" } },
    { twice: [1, 1.5, 1], ok: [1, 1.5] },
  ),
  createFieldSuite(
    "listsetobjects",
    {
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: integer, b: integer } },
    },
    {
      twice: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ok: [{ a: 1 }, { a: 2 }],
    },
  ),
  createFieldSuite(
    "listmap",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: string, v: integer } },
    },
    {
      ok: [{ name: "a" }, { name: "b" }],
      twice: [
        { name: "a", v: 1 },
        { name: "a", v: 2 },
      ],
      missing: [{ v: 1 }, { v: 2 }],
      notObjects: ["a", "b"],
    },
  ),
  createFieldSuite(
    "listmapkeys",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: { type: "object", required: ["port"], properties: { port: integer, protocol: { type: "string", default: "TCP" } } },
    },
    { ok: [{ port: 1 }, { port: 1, protocol: "UDP" }], twice: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
  ),
  createFieldSuite(
    "nestedlistmap",
    { type: "object", additionalProperties: { type: "array", "x-kubernetes-list-type": "set", items: integer } },
    { twice: { a: [1, 1], b: [2] } },
  ),

  createFieldSuite("anylist", { type: "array", items: any }, { mixed: [1, "a", { b: { c: 1 } }, [2], null] }),
];
