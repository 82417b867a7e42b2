import type { Json, JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { formatFieldError } from "../status/index.ts";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { deepFreeze } from "./structural/copy-on-write.ts";

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
  deepFreeze({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "default" }, spec });
const texts = (object: JsonObject, old?: JsonObject) => compiled.validate(object, old).map(formatFieldError);

describe("returns a complete object unchanged", () => {
  const complete = widget({
    image: "i",
    replicas: 2,
    ports: [{ name: "a", port: 1, protocol: "TCP" }],
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { any: [null, { thing: 1 }] } },
  });

  test("from prune", () => expect(compiled.prune(complete).object).toBe(complete));
  test("from default", () => expect(compiled.default(complete)).toBe(complete));
  test("and finds no errors in it", () => expect(texts(complete)).toEqual([]));
});

describe("copies a frozen object only where it changes", () => {
  test("when prune drops unknown fields", () => {
    const input = widget({ image: "i", extra: 1, ports: [{ name: "a" }, { name: "b", other: { x: 1 } }] });
    const { object, unknown } = compiled.prune(input);
    expect([...unknown].sort()).toEqual(["spec.extra", "spec.ports[1].other"]);
    expect(object["spec"]).toEqual({ image: "i", ports: [{ name: "a" }, { name: "b" }] });
    expect(object["metadata"]).toBe(input["metadata"]);
    expect(at(object, "spec", "ports", 0)).toBe(at(input, "spec", "ports", 0));
  });

  test("when default sets missing fields", () => {
    const input = widget({ image: "i", replicas: 3, ports: [{ name: "a", protocol: "UDP" }, { name: "b" }] });
    const object = compiled.default(input);
    expect(at(object, "spec", "ports")).toEqual([
      { name: "a", protocol: "UDP" },
      { name: "b", protocol: "TCP" },
    ]);
    expect(at(object, "spec", "ports", 0)).toBe(at(input, "spec", "ports", 0));
  });

  test("when prune drops nulls that are not allowed", () => {
    expect(compiled.default(compiled.prune(widget({ image: "i", replicas: null, ports: null })).object)["spec"]).toEqual({
      image: "i",
      replicas: 1,
    });
  });
});

test("inserts the same frozen default value into every object", () => {
  const { default: fill } = compileSchema({ type: "object", properties: { spec: { type: "object", default: { a: { b: 1 } } } } });
  const [one, two] = [fill({ kind: "A" }), fill({ kind: "B" })];
  expect(one["spec"]).toBe(two["spec"]);
  expect(Object.isFrozen(at(one, "spec", "a"))).toBe(true);
});

describe("validates updates", () => {
  const wrong = widget({ image: "", ports: [{ name: "a", port: 70000 }] });

  test("ignoring errors in unchanged values", () => {
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
  test("reporting errors in changed values", () => {
    expect(texts(widget({ image: "", ports: [{ name: "a", port: 70001 }] }), wrong)).toEqual([
      "spec.ports[0].port: Invalid value: 70001: spec.ports[0].port in body should be less than or equal to 65535",
    ]);
  });
  test("of the status without looking at the spec", () => {
    const old = widget({ image: "i" });
    expect(compiled.validateStatus({ ...old, spec: {}, status: { phase: "Ready" } }, old)).toEqual([]);
    expect(compiled.validateStatus({ ...old, status: { phase: 1 } }, old).map(formatFieldError)).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    ]);
  });
});

test("exposes list map keys in the shape", () => {
  expect(compiled.shape).toBe(compiled.shape);
  expect(JSON.stringify(compiled.shape)).toContain('"name"');
});

function at(value: Json, ...path: (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((next, step) => (next as Record<string | number, Json>)[step], value);
}
