import { describe, expect, test } from "vitest";
import { checkCrdUpgrade, formatCrdUpgradeProblems } from "../../src/index.ts";

const definition = (spec: object, options: object = {}) => ({
  metadata: { name: "ops.example.com" },
  spec: {
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
    ...options,
  },
  status: { storedVersions: ["v1"] },
});
const check = (before: object, after: object) =>
  formatCrdUpgradeProblems("ops.example.com", checkCrdUpgrade(definition(before) as never, definition(after) as never));

describe("checkCrdUpgrade", () => {
  test.each([
    ["a new optional field", { type: "object" }, { type: "object", properties: { a: { type: "string" } } }, ""],
    ["another description", { description: "a" }, { description: "b" }, ""],
    ["another type", { type: "integer" }, { type: "number" }, 'v1: ^.spec: type: type changed : "integer" -> "number"'],
    ["a lower maximum", { maximum: 5 }, { maximum: 4.5 }, "v1: ^.spec: maximum: maximum decreased : 5 -> 4.5"],
    ["a larger enum", { enum: ["a"] }, { enum: ["a", "b"] }, ""],
    ["a smaller enum", { enum: ["a", "b"] }, { enum: ["a"] }, 'v1: ^.spec: enum: allowed enum values removed : ["b"]'],
    ["another default", { default: 1 }, { default: "<" }, 'v1: ^.spec: default: default value changed : "1" -> "\\"\\\\u003c\\""'],
    [
      "another format",
      { format: "int32" },
      { format: "int64" },
      'v1: ^.spec: unhandled: unhandled changes found (Format "int32" -> "int64")',
    ],
  ])("%s: %j -> %j", (_, before, after, expected) => {
    const text = check(before, after);
    expect(text).toBe(expected === "" ? "" : `validating upgrade for CRD "ops.example.com": ${expected}`);
  });

  test("of served versions with equal names, the last pair counts, as in crdify", () => {
    const version = (name: string, type: string) => ({ name, served: true, schema: { openAPIV3Schema: { type } } });
    const before = { metadata: { name: "ops.example.com" }, spec: { scope: "Namespaced", versions: [] } };
    const versions = [version("v1", "string"), version("v1", "array"), version("v1alpha1", "object")];
    const problems = checkCrdUpgrade(before, { ...before, spec: { ...before.spec, versions } } as never);
    expect(problems.filter(({ version }) => version === "v1alpha1 -> v1").map(({ message }) => message)).toEqual([
      'type changed : "object" -> "array"',
    ]);
  });

  test("a difference between served versions that changes its values is reported again, though the text stays", () => {
    const version = (name: string, rule?: string) => {
      const rules = rule === undefined ? {} : { "x-kubernetes-validations": [{ rule }] };
      return { name, served: true, schema: { openAPIV3Schema: { type: "object", ...rules } } };
    };
    const withRule = (rule: string) => ({
      metadata: { name: "ops.example.com" },
      spec: { scope: "Namespaced", versions: [version("v1alpha1", rule), version("v1")] },
    });
    const problemsOfPairs = (before: string, after: string) =>
      checkCrdUpgrade(withRule(before) as never, withRule(after) as never).filter(({ version }) => version?.includes("->"));
    expect(problemsOfPairs("true", "true")).toEqual([]);
    expect(problemsOfPairs("true", "false")).toEqual([
      { version: "v1alpha1 -> v1", path: "^", rule: "unhandled", message: expect.stringContaining("XValidations <complex value> -> nil") },
    ]);
  });

  test("a removed field and a removed stored version are refused, one line each", () => {
    const before = definition({ type: "object", properties: { a: { type: "string" } } });
    const problems = checkCrdUpgrade(before as never, definition({ type: "object" }, { versions: [] }) as never);
    expect(problems.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(["storedVersionRemoval: stored versions removed : [v1]"]);
    expect(check({ properties: { a: { type: "string" } } }, {})).toContain("existingFieldRemoval: removed field : v1.^.spec.a");
  });

  test("pairs of versions with equal names are reported once", () => {
    const version = (name: string, spec: object) => ({ ...definition(spec).spec.versions[0], name });
    const old = definition({}, { versions: [version("v1", {})] });
    const fresh = definition({}, { versions: [version("v1", {}), version("v2", { maximum: 3 }), version("v2", { maximum: 3 })] });
    const problems = checkCrdUpgrade(old as never, fresh as never).filter((problem) => problem.version === "v1 -> v2");
    expect(problems.map(({ message }) => message)).toEqual(["maximum constraint added when there was none previously : 3"]);
  });

  test("versions that differed before the upgrade are not reported again", () => {
    const version = (name: string, spec: object) => ({ ...definition(spec).spec.versions[0], name });
    const old = definition({}, { versions: [version("v1beta1", { type: "string" }), version("v1", { type: "integer" })] });
    expect(checkCrdUpgrade(old as never, old as never)).toEqual([]);
    const added = definition({}, { versions: [...old.spec.versions, version("v2", { type: "integer" })] });
    expect(checkCrdUpgrade(old as never, added as never).map(({ version: pair }) => pair)).toEqual(["v1beta1 -> v2"]);
  });
});
