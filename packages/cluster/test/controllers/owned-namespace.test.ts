import { createClient } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { ClusterRole } from "pintle/kinds/rbac/v1";
import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

test("collects, empties and deletes a namespace whose owner is deleted", async () => {
  const cluster = await startCluster();
  try {
    const client = createClient(cluster.transport);
    const { metadata } = await client.create(ClusterRole, { metadata: { name: "owner" }, rules: [] });
    const owner = { apiVersion: ClusterRole.apiVersion, kind: "ClusterRole", name: "owner", uid: metadata.uid };
    await client.create(Namespace, { metadata: { name: "owned", ownerReferences: [owner] } });
    await client.delete(ClusterRole, { name: "owner" });
    await client.waitForDeletion(Namespace, { name: "owned" }, { timeout: 10_000 });
    expect(await client.find(Namespace, { name: "owned" })).toBeUndefined();
  } finally {
    await cluster.stop();
  }
});
