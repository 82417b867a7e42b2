import { describe, expect, it } from "vitest";
import { defineKind } from "../../kinds/index.ts";
import { dropUndefined, encodeObject } from "./encode-object.ts";

const Pod = defineKind("v1/Pod", "pods", "Namespaced");

describe("encodeObject", () => {
  it("returns a complete object without a copy", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "a" }] } };
    expect(encodeObject(Pod, pod)).toBe(pod);
  });

  it("adds apiVersion and kind and drops undefined, without modifying the original", () => {
    const spec = { containers: [{ name: "a", image: undefined }, { name: "b" }] };
    const pod = Object.freeze({ metadata: { name: "a", labels: undefined }, spec });
    const out = encodeObject(Pod, pod) as any;
    expect(out).toStrictEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      spec: { containers: [{ name: "a" }, { name: "b" }] },
    });
    expect(out.spec.containers[1]).toBe(spec.containers[1]);
    expect(spec.containers[0]).toStrictEqual({ name: "a", image: undefined });
  });

  it("refuses an object of another kind", () => {
    expect(() => encodeObject(Pod, { apiVersion: "v1", kind: "Secret", metadata: {} })).toThrow(
      "the object is of v1, Secret, but is written as v1, Pod",
    );
  });

  it("refuses undefined in a list and names the path", () => {
    expect(() => dropUndefined({ a: [{ b: [1, undefined] }] }, "Pod")).toThrow("Pod.a[0].b[1] is undefined: leave the item out");
  });
});
