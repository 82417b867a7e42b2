import { controller, defineResource, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { expect } from "vitest";
import { clusterTest } from "../../src/vitest/index.ts";

const Shop = defineResource({ group: "example.com", version: "v1", kind: "Shop", spec: z.object({ stock: z.string().default("") }) });
const shops = controller(Shop, {
  owns: [ConfigMap],
  reconcile: ({ object, want }) =>
    want({ children: { stock: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { stock: object.spec.stock } }) } }),
});

const test = clusterTest({ clock: virtualClock(), operator: { controllers: [shops], resources: [Shop] } });

const user = "system:serviceaccount:operator-system:operator-under-test";

test("a child is not created again before the event of its deleted owner has arrived", async ({ cluster, client, namespace }) => {
  await client.create(Shop, { metadata: { name: "a", namespace }, spec: {} });
  await cluster.settled();
  using late = cluster.faults.add({ on: { user, verb: "watch", resource: "shops", event: "DELETED" }, do: { delay: 1_000 } });
  await client.delete(Shop, { name: "a", namespace });
  await cluster.advance(500);
  expect(await client.find(ConfigMap, { name: "a", namespace })).toBeUndefined();
  await cluster.advance(5_000);
  expect(late.hits).toBeGreaterThan(0);
  const applied = cluster.journal.matching({ verb: "patch", resource: "configmaps", name: "a" });
  expect(applied.map(({ code }) => code)).toEqual([201]);
});

test("a child that another client deletes is created again, after one live read of its owner", async ({ cluster, client, namespace }) => {
  await client.create(Shop, { metadata: { name: "b", namespace }, spec: {} });
  await cluster.settled();
  for (let time = 1; time <= 2; time++) {
    await client.delete(ConfigMap, { name: "b", namespace });
    await cluster.settled();
    expect(await client.find(ConfigMap, { name: "b", namespace })).toBeDefined();
    expect(cluster.journal.matching({ user, verb: "get", resource: "shops", name: "b" })).toHaveLength(time);
  }
});
