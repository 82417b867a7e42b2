import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../kinds/index.ts";
import { blame } from "./blame.ts";
import { diffObjects } from "./diff-objects.ts";

const managedFields = [
  {
    manager: "operator",
    operation: "Apply",
    time: "2026-01-01T00:00:00Z",
    fieldsV1: {
      "f:spec": {
        "f:selector": {},
        "f:template": { "f:spec": { "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {} } } } },
      },
    },
  },
  {
    manager: "hpa",
    operation: "Update",
    subresource: "scale",
    time: "2026-01-01T00:01:00Z",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  },
  { manager: "tagger", operation: "Update", fieldsV1: { "f:metadata": { "f:finalizers": { ".": {}, 'v:"a/b"': {} } } } },
];

const deployment = (replicas: number, image: string, ...more: readonly JsonObject[]): JsonObject => ({
  kind: "Deployment",
  metadata: { name: "web", finalizers: ["a/b"], managedFields },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { spec: { containers: [...more, { name: "web", image, args: ["a", "b"] }] } },
  },
});

describe("blame", () => {
  const found = new Map(blame(deployment(3, "web:1")).map(({ path, managers }) => [path, managers.map(({ manager }) => manager)]));

  test("names the manager of each field, lists by key and by value, and objects owned as a whole as one field", () => {
    expect(Object.fromEntries(found)).toEqual({
      ".kind": [],
      ".metadata.name": [],
      '.metadata.finalizers[="a/b"]': ["tagger"],
      ".spec.replicas": ["hpa"],
      ".spec.selector": ["operator"],
      '.spec.template.spec.containers[name="web"].name': ["operator"],
      '.spec.template.spec.containers[name="web"].image': ["operator"],
      '.spec.template.spec.containers[name="web"].args': [],
    });
  });

  test("tells operation, subresource and time of a manager", () => {
    const replicas = blame(deployment(3, "web:1")).find(({ path }) => path === ".spec.replicas");
    expect(replicas?.managers).toEqual([{ manager: "hpa", operation: "Update", subresource: "scale", time: "2026-01-01T00:01:00Z" }]);
  });

  test("takes a malformed field set for an empty one", () => {
    const entries = [{ manager: "x", operation: "Update", fieldsV1: { bad: {} } }];
    const found = blame({ metadata: { name: "a", managedFields: entries }, spec: { a: 1 } });
    expect(found.map(({ path, managers }) => [path, managers])).toEqual([
      [".metadata.name", []],
      [".spec.a", []],
    ]);
  });
});

describe("diffObjects", () => {
  test("reports changed, added and removed fields, and items of keyed lists by key in whatever order they are", () => {
    const sidecar = { name: "sidecar", image: "side:1" };
    expect(diffObjects(deployment(3, "web:1"), deployment(5, "web:2", sidecar))).toEqual([
      { path: ".spec.replicas", old: 3, new: 5 },
      { path: '.spec.template.spec.containers[name="sidecar"]', old: undefined, new: sidecar },
      { path: '.spec.template.spec.containers[name="web"].image', old: "web:1", new: "web:2" },
    ]);
  });

  test("compares lists without managers of single items as a whole", () => {
    expect(diffObjects({ spec: { list: [1, 2] } }, { spec: { list: [1, 3] } })).toEqual([{ path: ".spec.list", old: [1, 2], new: [1, 3] }]);
  });

  test("leaves resourceVersion and managedFields out, and finds nothing between equal states", () => {
    const at = (resourceVersion: string) => ({ metadata: { name: "a", resourceVersion, managedFields } });
    expect(diffObjects(at("1"), at("2"))).toEqual([]);
  });

  test("keeps integers beyond 2^53 and tells null from absent", () => {
    expect(diffObjects({ a: 9007199254740993n, b: null } as never, { a: 9007199254740992n } as never)).toEqual([
      { path: ".a", old: 9007199254740993n, new: 9007199254740992n },
      { path: ".b", old: null, new: undefined },
    ]);
  });
});
