import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineResource } from "../define-resource.ts";
import { anyObject, intOrString, timestamp } from "../fields/index.ts";

const base = { group: "example.com", version: "v1", kind: "Thing" } as const;
const spec = z.object({
  size: z.int32().default(1),
  ratio: z.float64().optional(),
  on: z.boolean().optional(),
  name: z.string().optional(),
  at: timestamp().optional(),
  port: intOrString().optional(),
  list: z.array(z.object({ name: z.string(), count: z.int() })).optional(),
  map: z.record(z.string(), z.int()).optional(),
  open: anyObject().optional(),
  "a.b": z.int().optional(),
});
const status = z.object({ replicas: z.int32(), selector: z.string(), ratio: z.float64() });

const crdVersion = (more: object) => defineResource({ ...base, spec, status, conditions: ["Ready"], ...more }).crd().spec.versions[0]!;

describe("printer columns", () => {
  it.each([
    [".spec.size", "integer"],
    [".spec.ratio", "number"],
    [".spec.on", "boolean"],
    [".spec.name", "string"],
    [".spec.at", "date"],
    [".spec.port", "string"],
    [".spec.list", "string"],
    [".spec.list[0].count", "integer"],
    [".spec.list[*].name", "string"],
    [".spec.list[-1:].name", "string"],
    [".spec.map.any", "integer"],
    [".spec.map['any.key']", "integer"],
    [".spec.a\\.b", "integer"],
    [".spec.open.what.ever[3]", "string"],
    ['.status.conditions[?(@.type=="Ready")].status', "string"],
    ['.status.conditions[?(@.type=="Ready")].lastTransitionTime', "date"],
    [".status.observedGeneration", "integer"],
    [".metadata.creationTimestamp", "date"],
    [".metadata.generation", "integer"],
    [".metadata.labels.app\\.kubernetes\\.io/name", "string"],
  ])("derives for %s the type %s", (path, type) => {
    expect(crdVersion({ columns: [{ name: "X", path }] }).additionalPrinterColumns).toEqual([{ name: "X", jsonPath: path, type }]);
  });

  it("keeps the given type, format, description and priority", () => {
    const column = { name: "X", path: ".spec.name", type: "date", format: "date-time", description: "d", priority: 1 };
    const { path: jsonPath, ...rest } = column;
    expect(crdVersion({ columns: [column] }).additionalPrinterColumns).toEqual([{ ...rest, jsonPath }]);
  });

  it.each([
    [".spec.sise", 'columns[0].path: ".spec.sise" does not exist: there is no .spec.sise; known here: a.b, at, list,'],
    [".spec.list.name", "there is no .spec.list.name"],
    [".spec.name[0]", "there is no .spec.name[0]"],
    [".spec.size.x", "there is no .spec.size.x"],
    [".metadata.nam", "there is no .metadata.nam"],
    ["spec.size", '"spec.size" is not a path'],
    [".spec.list[x]", "is not a path"],
  ])("rejects the path %s", (path, message) => {
    expect(() => crdVersion({ columns: [{ name: "X", path }] })).toThrow(message);
  });
});

it.each([1.5, -1, 2 ** 31])("rejects the priority %d", (priority) => {
  expect(() => crdVersion({ columns: [{ name: "X", path: ".spec.name", priority }] })).toThrow("columns[0].priority");
});

describe("the scale subresource", () => {
  it("has the paths of its three fields", () => {
    const scale = { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" };
    expect(crdVersion({ scale }).subresources).toEqual({
      status: {},
      scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" },
    });
  });

  it.each([
    [{ spec: ".spec.name", status: ".status.replicas" }, 'scale.spec: ".spec.name" is string; use the path of a field of type integer'],
    [{ spec: ".spec.size", status: ".status.ratio" }, 'scale.status: ".status.ratio" is number'],
    [{ spec: ".spec.list[0].count", status: ".status.replicas" }, 'scale.spec: ".spec.list[0].count" goes through a list or a map'],
    [{ spec: ".spec.size", status: ".status.replicas", selector: ".spec.map" }, 'scale.selector: ".spec.map" is object'],
  ])("rejects %o", (scale, message) => {
    expect(() => crdVersion({ scale })).toThrow(message);
  });
});

describe("selectable fields", () => {
  it("accept strings, integers and booleans", () => {
    const selectable = [".spec.name", ".spec.size", ".spec.on"];
    expect(crdVersion({ selectable }).selectableFields).toEqual(selectable.map((jsonPath) => ({ jsonPath })));
  });

  it.each([
    [[".spec.ratio"], 'selectable[0]: ".spec.ratio" is number'],
    [[".spec.map.a"], "goes through a list or a map"],
    [[".metadata.name"], "is metadata"],
    [[".spec.name", ".spec.name"], 'selectable[1]: ".spec.name" is listed twice'],
    [Array.from({ length: 9 }, () => ".spec.name"), "the API server accepts at most 8"],
  ])("reject %o", (selectable, message) => {
    expect(() => crdVersion({ selectable })).toThrow(message);
  });
});
