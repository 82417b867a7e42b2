import { describe, expect, it } from "vitest";
import { kind } from "../kinds/index.ts";
import { withoutUndefined, written } from "./written.ts";

const Pod = kind("v1/Pod", "pods", "Namespaced");

describe("written", () => {
  it("passes an object on that needs nothing", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "a" }] } };
    expect(written(Pod, pod)).toBe(pod);
  });

  it("adds the kind, drops undefined, and leaves the rest and the original alone", () => {
    const spec = { containers: [{ name: "a", image: undefined }, { name: "b" }] };
    const pod = Object.freeze({ metadata: { name: "a", labels: undefined }, spec });
    const out = written(Pod, pod) as any;
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
    expect(() => written(Pod, { apiVersion: "v1", kind: "Secret", metadata: {} })).toThrow(
      "the object says v1, Secret, but is written as v1, Pod",
    );
  });

  it("refuses undefined in a list, and says where", () => {
    expect(() => withoutUndefined({ a: [{ b: [1, undefined] }] }, "Pod")).toThrow("Pod.a[0].b[1] is undefined: leave the item out");
  });
});
