import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { isJsonObject } from "../json/index.ts";
import { defineResource } from "../resource/index.ts";
import { type BuiltInTypes, builtInField } from "./index.ts";

const types = readFileSync(path.join(import.meta.dirname, "generated/built-in-types.ts"), "utf8");
const ids = [...types.matchAll(/^ {2}readonly "(.+?)":/gm)].map(([, id]) => id as keyof BuiltInTypes);

test("every type of the built-in kinds has a structural schema that a resource accepts", () => {
  expect(ids.length).toBeGreaterThan(400);
  for (const id of ids)
    expect(
      () => defineResource({ group: "e.com", version: "v1", kind: "A", spec: z.object({ value: builtInField(id) }) }),
      id,
    ).not.toThrow();
});

test("schemas have no descriptions and no references", () => {
  for (const id of ids) expect([...keywordsOf(schemaOf(id))].filter((keyword) => /^(description|\$ref)$/.test(keyword))).toEqual([]);
});

test("the keys of a list are required where the published type leaves them optional, unless they have a default", () => {
  expect(schemaOf("flowcontrol/v1/FlowSchemaStatus")).toMatchObject({
    properties: { conditions: { "x-kubernetes-list-map-keys": ["type"], items: { required: ["type"] } } },
  });
  expect(schemaOf("v1/ServiceSpec")).toMatchObject({
    properties: { ports: { "x-kubernetes-list-map-keys": ["port", "protocol"], items: { required: ["port"] } } },
  });
});

test.each([
  ["v1/DeploymentStrategy", 'The built-in kinds have no type "v1/DeploymentStrategy"; did you mean "apps/v1/DeploymentStrategy"?'],
  ["v1/PodTemplat", 'an id is group, version and Go type, such as "v1/Probe" or "apps/v1/DeploymentStrategy"'],
])("builtInField(%j) throws PINTLE2006 and says which ids there are", (id, message) => {
  expect(() => builtInField(id as never)).toThrow(
    expect.objectContaining({ code: "PINTLE2006", message: expect.stringContaining(message) }),
  );
});

function schemaOf(id: keyof BuiltInTypes): unknown {
  const { versions } = defineResource({ group: "e.com", version: "v1", kind: "A", spec: z.object({ value: builtInField(id) }) }).crd().spec;
  return versions[0]!.schema.openAPIV3Schema.properties?.["spec"]?.properties?.["value"];
}

/** Returns the keywords of a schema and of all schemas below it. */
function keywordsOf(schema: unknown): ReadonlySet<string> {
  if (!isJsonObject(schema)) return new Set();
  const { properties, items, additionalProperties } = schema;
  const nested = [...Object.values(isJsonObject(properties) ? properties : {}), items, additionalProperties];
  return new Set([...Object.keys(schema), ...nested.flatMap((each) => [...keywordsOf(each)])]);
}
