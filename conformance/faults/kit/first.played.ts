import { sharedTest } from "@pintle/cluster/vitest";
import { ConfigMap } from "pintle/kinds/core/v1";
import { PriorityClass } from "pintle/kinds/scheduling/v1";
import { expect } from "vitest";

const test = sharedTest();

test("a namespace of this file's own", async ({ client, namespace }) => {
  expect((await client.list(ConfigMap, { namespace })).items.filter(({ metadata }) => metadata.name === "mine")).toEqual([]);
  await client.create(ConfigMap, { metadata: { name: "mine", namespace } });
  expect((await client.get(PriorityClass, { name: "set-up" })).value).toBe(7);
});

test("the same for all tests of the file", async ({ client, namespace }) => {
  expect(await client.find(ConfigMap, { name: "mine", namespace })).toBeDefined();
});
