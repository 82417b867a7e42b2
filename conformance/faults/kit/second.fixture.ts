import { sharedTest } from "@pintle/cluster/vitest";
import { ConfigMap } from "pintle/kinds/core/v1";
import { PriorityClass } from "pintle/kinds/scheduling/v1";
import { expect } from "vitest";

const test = sharedTest();

test("each file has a namespace of its own", async ({ client, namespace }) => {
  expect((await client.list(ConfigMap, { namespace })).items.filter(({ metadata }) => metadata.name === "mine")).toEqual([]);
  await client.create(ConfigMap, { metadata: { name: "mine", namespace } });
  expect((await client.get(PriorityClass, { name: "set-up" })).value).toBe(7);
});

test("all tests of a file share its namespace", async ({ client, namespace }) => {
  expect(await client.find(ConfigMap, { name: "mine", namespace })).toBeDefined();
});
