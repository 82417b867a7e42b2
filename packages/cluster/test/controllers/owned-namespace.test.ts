import { createClient } from "pintle/client";
import { ConfigMap, Namespace, Pod, ServiceAccount } from "pintle/kinds/core/v1";
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

test("deletes everything else in a namespace only after its pods are gone", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const client = createClient(cluster.transport);
  const namespace = "ordered";
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { name: "default", namespace } }).catch(() => {});
  const finalizers = ["example.com/hold"];
  const ref = { name: "held", namespace };
  await client.create(Pod, { metadata: { ...ref, finalizers }, spec: { containers: [{ name: "main", image: "app" }] } });
  await client.create(ConfigMap, { metadata: { name: "kept", namespace } });
  await client.delete(Namespace, { name: namespace });
  const isRemaining = ({ status }: Namespace) =>
    status.conditions?.some(({ type, message }) => type === "NamespaceContentRemaining" && message?.includes("pods.")) === true;
  const { status } = await client.waitFor(Namespace, { name: namespace }, isRemaining, { timeout: 10_000 });
  const remaining = status.conditions?.find(({ type }) => type === "NamespaceContentRemaining");
  expect(remaining?.message).toBe("Some resources are remaining: pods. has 1 resource instances");
  expect(await client.find(ConfigMap, { name: "kept", namespace })).toBeDefined();
  await client.patch(Pod, ref, { merge: { metadata: { finalizers: null } } });
  await client.waitForDeletion(Namespace, { name: namespace }, { timeout: 10_000 });
});
