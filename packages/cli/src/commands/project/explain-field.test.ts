import { defineResource, z } from "pintle";
import { expect, test } from "vitest";
import { formatExplanation, resolveField } from "./explain-field.ts";

const Store = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({
    replicas: z.int32().min(1).max(9).default(1).describe("Number of pods."),
    tier: z.enum(["gold", "silver"]),
    parts: z.array(z.object({ name: z.string().describe("Name of the part.") })).optional(),
  }),
});
const resources = [{ file: Store.crdFileName, crd: Store.crd() }];
const explainText = (fieldPath: string, recursive = false, version?: string) =>
  formatExplanation(resolveField(resources, fieldPath, version), recursive);

test("prints fields in the format of kubectl explain, with constraints", () => {
  const text = explainText("stores.spec");
  expect(text).toBe(
    `GROUP:      shop.example.com
KIND:       Store
VERSION:    v1

FIELD: spec <Object>${text.includes("spec <Object> -required-") ? " -required-" : ""}

DESCRIPTION:
    <empty>

FIELDS:
  parts\t<[]Object>

  replicas\t<integer>
  default: 1, minimum: 1, maximum: 9, format: int32
    Number of pods.

  tier\t<string> -required-
  enum: gold, silver
`,
  );
  expect(explainText("store.spec.parts.name")).toMatch(/FIELD: name <string> -required-\n\nDESCRIPTION:\n {4}Name of the part\.\n$/);
  expect(explainText("store", true)).toMatch(/\n {2}spec\t<Object>.*\n {4}parts\t<\[\]Object>\n {6}name\t<string> -required-\n/);
});

test("lists the known names when a resource, version or field does not exist", () => {
  expect(() => explainText("store.spec.colour")).toThrow(/store\.spec has no field "colour"; known fields: parts, replicas, tier/);
  expect(() => explainText("catalog")).toThrow(/no resource "catalog"; known resources: stores/);
  expect(() => explainText("store", false, "v2")).toThrow(/has no version "v2"; known versions: v1/);
});
