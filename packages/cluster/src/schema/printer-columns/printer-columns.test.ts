import { describe, expect, test } from "vitest";
import { compileJsonPath, compilePrinterColumns, compileSelectableField } from "./index.ts";

const object = {
  metadata: { name: "a", creationTimestamp: "2024-01-01T00:00:00Z", labels: { "example.com/x": "dotted" } },
  spec: { size: 3, ratio: 0.5, on: true, list: ["x", "y", "z"], nested: { deep: { v: 1 } }, none: null },
  status: {
    conditions: [
      { type: "Ready", status: "True", weight: 2 },
      { type: "Synced", status: "False", weight: 5 },
    ],
  },
};

describe("compileJsonPath", () => {
  test.each([
    [".spec.size", [3]],
    [".spec.missing.deeper", []],
    [".spec.list[0]", ["x"]],
    [".spec.list[-1]", ["z"]],
    [".spec.list[*]", ["x", "y", "z"]],
    [".spec.list[0:2]", ["x", "y"]],
    [".spec.list[::2]", ["x", "z"]],
    [".spec.list[0,2]", ["x", "z"]],
    [".spec['size','ratio']", [3, 0.5]],
    [".metadata.labels['example\\.com/x']", ["dotted"]],
    [".metadata.labels.example\\.com/x", ["dotted"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type=='Synced')].status", ["False"]],
    [".status.conditions[?(@.weight>2)].type", ["Synced"]],
    [".status.conditions[?(@.weight>=2)].type", ["Ready", "Synced"]],
    [".status.conditions[?(@.missing)].type", []],
    [".status.conditions[?(@.weight)].type", ["Ready", "Synced"]],
    ["..deep.v", [1]],
    [".spec.nested.*", [{ v: 1 }]],
  ])("evaluates %s", (path, expected) => {
    expect(compileJsonPath(path)(object)).toEqual(expected);
  });

  test.each(["{", ".a[", ".a[x]", '.a[?(@.b=="x")', ".a....b"])("throws SyntaxError for the invalid path %s", (path) => {
    expect(() => compileJsonPath(path)).toThrow(SyntaxError);
  });
});

describe("compilePrinterColumns", () => {
  const formatCell = (type: string, path: string) => compilePrinterColumns([{ name: "C", type, jsonPath: path }])[0]?.formatCell(object);

  test.each([
    ["string", ".spec.size", "3"],
    ["string", ".spec.on", "true"],
    ["string", ".spec.list", '["x","y","z"]'],
    ["string", ".spec.nested", '{"deep":{"v":1}}'],
    ["string", ".spec.none", "<no value>"],
    ["string", ".spec.missing", null],
    ["string", ".spec.list[7]", null],
    ["string", ".spec.list[*]", "x"],
    ["integer", ".spec.size", 3],
    ["integer", ".spec.ratio", 0],
    ["integer", ".spec.on", null],
    ["number", ".spec.ratio", 0.5],
    ["boolean", ".spec.on", true],
    ["boolean", ".spec.size", null],
    ["date", ".metadata.creationTimestamp", "2024-01-01T00:00:00Z"],
    ["date", ".metadata.name", "<invalid>"],
    ["date", ".spec.size", null],
  ])("formats a %s column of %s", (type, path, expected) => {
    expect(formatCell(type, path)).toBe(expected);
  });

  test("returns the age column if no columns are declared", () => {
    expect(compilePrinterColumns().map(({ name, type }) => [name, type])).toEqual([["Age", "date"]]);
  });

  test("compileSelectableField returns texts", () => {
    expect(compileSelectableField(".spec.size")(object)).toBe("3");
    expect(compileSelectableField(".spec.on")(object)).toBe("true");
    expect(compileSelectableField(".spec.missing")(object)).toBe("");
  });
});
