import { celRule, defineResource, immutable, z } from "pintle";
import { builtInField, podTemplateSpec, resourceRequirements } from "pintle/fields";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { describe, expect, test } from "vitest";
import { accepts, clusterTest, refuses, requireRuleCoverage, unrefusedRules } from "../../src/vitest/index.ts";

const Range = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Range",
  spec: celRule(
    z.object({
      min: z.int32().min(1),
      max: z.int32().max(9).default(5),
      zone: immutable(z.string()).optional(),
      tags: z
        .array(z.string().regex(/^[a-z]+$/))
        .max(2)
        .optional(),
    }),
    "self.min <= self.max",
    { message: "min must not exceed max" },
  ),
});

const REFUSED: readonly (readonly [spec: object, message: string])[] = [
  [{ min: 7 }, "min must not exceed max"],
  [{}, "spec.min: Required value"],
  [{ min: 0 }, "should be greater than or equal to 1"],
  [{ min: 1, max: 10 }, "should be less than or equal to 9"],
  [{ min: 1, tags: ["A"] }, "spec.tags[0]"],
];

describe("coverage of rules", () => {
  test("unrefusedRules lists every rule until a test refuses by it", () => {
    const all = unrefusedRules(Range);
    expect(all).toHaveLength(7);
    expect(all).toContain("spec: rule self.min <= self.max");
    expect(all).toContain("spec: required min");
    for (const [spec, message] of REFUSED) refuses(Range, spec, message);
    expect(unrefusedRules(Range)).toEqual(["spec.tags: maxItems 2", "spec.zone: rule self == oldSelf"]);
    refuses(Range, { min: 1, zone: "b" }, "immutable", { old: { min: 1, zone: "a" } });
    expect(unrefusedRules(Range)).toEqual(["spec.tags: maxItems 2"]);
  });

  requireRuleCoverage(Range, { except: ["spec.tags: maxItems 2"] });
});

test("rules of built-in types count only if the resource adds them", () => {
  const App = defineResource({
    group: "test.example.com",
    version: "v1",
    kind: "App",
    spec: z.object({
      template: celRule(podTemplateSpec(), "has(self.spec)", { message: "a spec is required" }).optional(),
      ports: z.array(builtInField("v1/ServicePort")).max(9).optional(),
    }),
  });
  expect(unrefusedRules(App)).toEqual(["spec.ports: maxItems 9", "spec.template: rule has(self.spec)"]);
  accepts(App, { template: { spec: { containers: [{ name: "a" }] } } });
  refuses(App, { template: { spec: { containers: [{ image: "a" }] } } }, "spec.template.spec.containers[0].name: Required value");
  refuses(App, { template: {} }, "a spec is required");
  expect(unrefusedRules(App)).toEqual(["spec.ports: maxItems 9"]);
});

test("accepts and refuses throw with the errors of the schema when the outcome is another one", () => {
  accepts(Range, { min: 1 });
  accepts(Range, { min: 1, zone: "a" }, { old: { min: 2, zone: "a" } });
  expect(() => accepts(Range, { min: 7 })).toThrow(
    "Range was expected to accept this spec, but refuses it: spec: Invalid value: min must not exceed max",
  );
  expect(() => accepts(Range, { min: 1, mix: 2 })).toThrow("spec.mix");
  expect(() => refuses(Range, { min: 1 }, "too small")).toThrow('Range was expected to refuse this spec with "too small", but accepts it');
  expect(() => refuses(Range, { min: 0 }, "too small")).toThrow("but says: spec.min: Invalid value: 0: spec.min in body should be greater");
  expect(() => accepts(Range, { min: 1 }, { version: "v2" })).toThrow("Range has no version v2; it has v1");
});

const onServer = clusterTest({ setup: ({ client }) => client.create(CustomResourceDefinition, Range.crd()) });
onServer("the API server refuses the same specs with the same messages", async ({ client, namespace }) => {
  for (const [spec, message] of REFUSED)
    await expect(client.create(Range, { metadata: { name: "a", namespace }, spec: spec as never })).rejects.toThrow(message);
  await client.create(Range, { metadata: { name: "a", namespace }, spec: { min: 1 } });
});

test("of a field with a built-in type, only the author's rule must be covered", () => {
  const Runner = defineResource({
    group: "test.example.com",
    version: "v1",
    kind: "Runner",
    spec: z.object({
      template: celRule(podTemplateSpec(), "has(self.spec)", { message: "must have a spec" }),
      resources: resourceRequirements().optional(),
    }),
  });
  accepts(Runner, { template: { spec: { containers: [{ name: "a" }] } } });
  refuses(Runner, { template: { spec: { containers: [{}] } } }, "name: Required value");
  expect(unrefusedRules(Runner)).toEqual(["spec: required template", "spec.template: rule has(self.spec)"]);
  refuses(Runner, { template: {} }, "must have a spec");
  expect(unrefusedRules(Runner)).toEqual(["spec: required template"]);
});
