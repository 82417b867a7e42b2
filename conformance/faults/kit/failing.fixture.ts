import { clusterTest } from "@pintle/cluster/vitest";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { expect } from "vitest";

const test = clusterTest();

test("prints the state of the cluster when it fails", async ({ cluster, client }) => {
  await client.create(Pod, {
    metadata: { name: "sick", namespace: "default", annotations: { "node.pintle.dev/behaviour": "crash-loop" } },
    spec: { containers: [{ name: "main", image: "a" }] },
  });
  await cluster.settled();
  expect(await client.find(ConfigMap, { name: "wanted", namespace: "default" })).toBeDefined();
});
