import { defineResource, z } from "pintle";
import { expect, test } from "vitest";
import { explanation, fieldOf } from "./explanation.ts";

const Store = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({
    replicas: z.int32().min(1).max(9).default(1).describe("How many pods."),
    tier: z.enum(["gold", "silver"]),
    parts: z.array(z.object({ name: z.string().describe("Of the part.") })).optional(),
  }),
});
const resources = [{ file: Store.crdFileName, crd: Store.crd() }];
const explained = (asked: string, recursive = false, version?: string) => explanation(fieldOf(resources, asked, version), recursive);

test("fields as kubectl tells them, with what a value must be", () => {
  const text = explained("stores.spec");
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
    How many pods.

  tier\t<string> -required-
  enum: gold, silver
`,
  );
  expect(explained("store.spec.parts.name")).toMatch(/FIELD: name <string> -required-\n\nDESCRIPTION:\n {4}Of the part\.\n$/);
  expect(explained("store", true)).toMatch(/\n {2}spec\t<Object>.*\n {4}parts\t<\[\]Object>\n {6}name\t<string> -required-\n/);
});

test("what is not there is named, with what is", () => {
  expect(() => explained("store.spec.colour")).toThrow(/store\.spec has no field colour, only: parts, replicas, tier/);
  expect(() => explained("shelf")).toThrow(/no resource shelf, only: stores/);
  expect(() => explained("store", false, "v2")).toThrow(/has no version v2, only: v1/);
});
