import { expect, test } from "vitest";
import { isScalar, listLeaves } from "./leaves.ts";

test("takes a new object apart into its leaves and leaves lists of texts whole", () => {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", args: ["a", "b"] }], volumes: [] } };
  expect(listLeaves({ path: ".spec.template", new: template })).toEqual([
    { path: ".spec.template.metadata.labels.app", old: undefined, new: "web" },
    { path: ".spec.template.spec.containers[0].name", old: undefined, new: "web" },
    { path: ".spec.template.spec.containers[0].args", old: undefined, new: ["a", "b"] },
    { path: ".spec.template.spec.volumes", old: undefined, new: [] },
  ]);
});

test("returns only leaves that differ, also removed ones", () => {
  expect(listLeaves({ path: ".a", old: { b: 1, c: 2, d: { e: 3 } }, new: { b: 1, c: 4, d: {} } })).toEqual([
    { path: ".a.c", old: 2, new: 4 },
    { path: ".a.d", old: { e: 3 }, new: {} },
  ]);
  expect(listLeaves({ path: ".a", old: { b: 1 }, new: undefined })).toEqual([{ path: ".a.b", old: 1, new: undefined }]);
});

test("keeps a change between a list and an object, or a scalar and an object, in one piece", () => {
  const changes = [
    { path: ".a", old: [{ a: 1 }], new: { b: { c: 1 } } },
    { path: ".a", old: "x", new: { b: { c: 1 } } },
  ];
  expect(changes.map((change) => listLeaves(change))).toEqual(changes.map((change) => [change]));
  expect([isScalar(["a", 1]), isScalar([{}]), isScalar({}), isScalar({ a: 1 })]).toEqual([true, false, true, false]);
});
