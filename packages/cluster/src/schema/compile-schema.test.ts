import type { Json, JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { fieldErrorText } from "../status/index.ts";
import { compileSchema } from "./compile-schema.ts";
import { freeze } from "./edit.ts";
import type { JsonSchema } from "./json-schema.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["image"],
      properties: {
        image: { type: "string", minLength: 1 },
        replicas: { type: "integer", minimum: 1, default: 1 },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string" },
              port: { type: "integer", maximum: 65535 },
              protocol: { type: "string", default: "TCP" },
            },
          },
        },
        template: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const compiled = compileSchema(schema);

const widget = (spec: JsonObject): JsonObject =>
  freeze({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "default" }, spec });
const texts = (object: JsonObject, old?: JsonObject) => compiled.validate(object, old).map(fieldErrorText);

describe("objects that need nothing come back as they are", () => {
  const complete = widget({
    image: "i",
    replicas: 2,
    ports: [{ name: "a", port: 1, protocol: "TCP" }],
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { any: [null, { thing: 1 }] } },
  });

  test("from pruning", () => expect(compiled.prune(complete).object).toBe(complete));
  test("from defaulting", () => expect(compiled.default(complete)).toBe(complete));
  test("and are valid", () => expect(texts(complete)).toEqual([]));
});

describe("frozen objects are copied where they change, and only there", () => {
  test("pruning", () => {
    const given = widget({ image: "i", extra: 1, ports: [{ name: "a" }, { name: "b", other: { x: 1 } }] });
    const { object, unknown } = compiled.prune(given);
    expect([...unknown].sort()).toEqual(["spec.extra", "spec.ports[1].other"]);
    expect(object["spec"]).toEqual({ image: "i", ports: [{ name: "a" }, { name: "b" }] });
    expect(object["metadata"]).toBe(given["metadata"]);
    expect(at(object, "spec", "ports", 0)).toBe(at(given, "spec", "ports", 0));
  });

  test("defaulting", () => {
    const given = widget({ image: "i", replicas: 3, ports: [{ name: "a", protocol: "UDP" }, { name: "b" }] });
    const object = compiled.default(given);
    expect(at(object, "spec", "ports")).toEqual([
      { name: "a", protocol: "UDP" },
      { name: "b", protocol: "TCP" },
    ]);
    expect(at(object, "spec", "ports", 0)).toBe(at(given, "spec", "ports", 0));
  });

  test("nulls that nothing allows", () => {
    expect(compiled.default(compiled.prune(widget({ image: "i", replicas: null, ports: null })).object)["spec"]).toEqual({
      image: "i",
      replicas: 1,
    });
  });
});

test("a default is the same frozen value every time", () => {
  const { default: fill } = compileSchema({ type: "object", properties: { spec: { type: "object", default: { a: { b: 1 } } } } });
  const [one, two] = [fill({ kind: "A" }), fill({ kind: "B" })];
  expect(one["spec"]).toBe(two["spec"]);
  expect(Object.isFrozen(at(one, "spec", "a"))).toBe(true);
});

describe("updates", () => {
  const wrong = widget({ image: "", ports: [{ name: "a", port: 70000 }] });

  test("may leave what was wrong as it is", () => {
    expect(
      texts(
        widget({
          image: "",
          ports: [
            { name: "b", port: 1 },
            { name: "a", port: 70000 },
          ],
        }),
        wrong,
      ),
    ).toEqual([]);
  });
  test("may not make it wrong in another way", () => {
    expect(texts(widget({ image: "", ports: [{ name: "a", port: 70001 }] }), wrong)).toEqual([
      "spec.ports[0].port: Invalid value: 70001: spec.ports[0].port in body should be less than or equal to 65535",
    ]);
  });
  test("of the status look at nothing but the status", () => {
    const old = widget({ image: "i" });
    expect(compiled.validateStatus({ ...old, spec: {}, status: { phase: "Ready" } }, old)).toEqual([]);
    expect(compiled.validateStatus({ ...old, status: { phase: 1 } }, old).map(fieldErrorText)).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    ]);
  });
});

test("the shape knows how lists merge", () => {
  expect(compiled.shape).toBe(compiled.shape);
  expect(JSON.stringify(compiled.shape)).toContain('"name"');
});

function at(value: Json, ...path: (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((next, step) => (next as Record<string | number, Json>)[step], value);
}
