import { type Client, createClient } from "pintle/client";
import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Node, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const within = { timeout: 10_000 };
let cluster: Cluster;
let client: Client;
beforeAll(async () => {
  cluster = await startCluster();
  client = createClient(cluster.transport);
  await cluster.ready;
});
afterAll(() => cluster.stop());

let names = 0;
/** Creates a namespace for one test. */
async function createNamespace(): Promise<string> {
  const name = `test-${++names}`;
  await client.create(Namespace, { metadata: { name } });
  return name;
}
const web = (image: string, replicas: number) => ({
  replicas,
  selector: { matchLabels: { app: "web" } },
  template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
});
const isRolledOut = (d: Deployment) =>
  d.status.observedGeneration === d.metadata.generation &&
  d.status.updatedReplicas === d.spec.replicas &&
  d.status.replicas === d.spec.replicas &&
  d.status.availableReplicas === d.spec.replicas;

describe("Deployments", () => {
  test("roll a new template out until only new pods run", async () => {
    const namespace = await createNamespace();
    const ref = { name: "web", namespace };
    await client.create(Deployment, { metadata: ref, spec: web("web:1", 3) });
    await client.waitFor(Deployment, ref, isRolledOut, within);
    await client.patch(Deployment, ref, { strategic: { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } } });
    const done = await client.waitFor(
      Deployment,
      ref,
      (d) => isRolledOut(d) && d.metadata.annotations?.["deployment.kubernetes.io/revision"] === "2",
      within,
    );
    expect(done.status.conditions?.map((c) => [c.type, c.status, c.reason])).toEqual(
      expect.arrayContaining([
        ["Available", "True", "MinimumReplicasAvailable"],
        ["Progressing", "True", "NewReplicaSetAvailable"],
      ]),
    );
    const images = (await client.list(Pod, { namespace })).items
      .filter((p) => !p.metadata.deletionTimestamp)
      .map((p) => p.spec.containers[0]?.image);
    expect(images).toEqual(["web:2", "web:2", "web:2"]);
    const sizes = (await client.list(ReplicaSet, { namespace })).items.map((s) => s.spec.replicas).sort();
    expect(sizes).toEqual([0, 3]);
  });

  test("run pods with the status of a node", async () => {
    const namespace = await createNamespace();
    await client.create(Deployment, { metadata: { name: "web", namespace }, spec: web("web:1", 1) });
    await client.waitFor(Deployment, { name: "web", namespace }, isRolledOut, within);
    const [pod] = (await client.list(Pod, { namespace })).items;
    expect(pod?.spec.nodeName).toBe("node-1");
    expect(pod?.status).toMatchObject({
      phase: "Running",
      podIP: expect.stringMatching(/^10\.244\./),
      containerStatuses: [{ ready: true, restartCount: 0 }],
    });
    expect(pod?.status.conditions?.filter((c) => c.status === "True").map((c) => c.type)).toEqual(
      expect.arrayContaining(["PodScheduled", "Initialized", "ContainersReady", "Ready"]),
    );
  });

  test("report why a pod is unschedulable, and schedule it when a node fits", async () => {
    const namespace = await createNamespace();
    const ref = { name: "picky", namespace };
    await client.create(Pod, { metadata: ref, spec: { nodeSelector: { disk: namespace }, containers: [{ name: "a", image: "a" }] } });
    const scheduledCondition = (p: Pod) => p.status.conditions?.find((c) => c.type === "PodScheduled");
    const waiting = await client.waitFor(Pod, ref, (p) => scheduledCondition(p)?.status === "False", within);
    expect(scheduledCondition(waiting)).toMatchObject({
      reason: "Unschedulable",
      message: expect.stringMatching(/^0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector\. /),
    });
    await client.patch(Node, { name: "node-1" }, { merge: { metadata: { labels: { disk: namespace } } } });
    await client.waitFor(Pod, ref, (p) => p.status.phase === "Running", within);
  });
});

describe("the garbage collector", () => {
  async function createOwnerAndChild(): Promise<{ namespace: string; owner: ConfigMap; child: ConfigMap }> {
    const namespace = await createNamespace();
    const owner = await client.create(ConfigMap, { metadata: { name: "owner", namespace } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid, blockOwnerDeletion: true };
    const child = await client.create(ConfigMap, { metadata: { name: "child", namespace, ownerReferences: [reference] } });
    return { namespace, owner, child };
  }

  test("deletes the owner first and then the dependent with background propagation", async () => {
    const { owner, child } = await createOwnerAndChild();
    await client.delete(ConfigMap, owner.metadata);
    expect(await client.find(ConfigMap, owner.metadata)).toBeUndefined();
    await client.waitForDeletion(ConfigMap, child.metadata, within);
  });

  test("keeps the owner until the dependent is deleted with foreground propagation", async () => {
    const { owner, child, namespace } = await createOwnerAndChild();
    await client.patch(ConfigMap, child.metadata, { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await client.delete(ConfigMap, owner.metadata, { propagation: "Foreground" });
    await client.waitFor(ConfigMap, child.metadata, (c) => c.metadata.deletionTimestamp !== undefined, within);
    expect((await client.get(ConfigMap, owner.metadata)).metadata.finalizers).toEqual(["foregroundDeletion"]);
    await client.patch(ConfigMap, { name: "child", namespace }, { merge: { metadata: { finalizers: null } } });
    await client.waitForDeletion(ConfigMap, owner.metadata, within);
  });

  test("keeps the dependent without its reference with orphan propagation", async () => {
    const { owner, child } = await createOwnerAndChild();
    await client.delete(ConfigMap, owner.metadata, { propagation: "Orphan" });
    await client.waitForDeletion(ConfigMap, owner.metadata, within);
    expect((await client.get(ConfigMap, child.metadata)).metadata.ownerReferences ?? []).toEqual([]);
  });

  test("deletes an object whose owner never existed", async () => {
    const namespace = await createNamespace();
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "missing", uid: "00000000-0000-0000-0000-000000000000" };
    const ref = { name: "stray", namespace };
    await client.create(ConfigMap, { metadata: { ...ref, ownerReferences: [reference] } });
    await client.waitForDeletion(ConfigMap, ref, within);
  });

  test("keeps an object while one of two owners exists", async () => {
    const { owner, child, namespace } = await createOwnerAndChild();
    const other = await client.create(ConfigMap, { metadata: { name: "other", namespace } });
    const references = [
      ...(child.metadata.ownerReferences ?? []),
      { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: other.metadata.uid },
    ];
    await client.patch(ConfigMap, child.metadata, { merge: { metadata: { ownerReferences: references } } });
    await client.delete(ConfigMap, owner.metadata);
    const left = await client.waitFor(ConfigMap, child.metadata, (c) => c.metadata.ownerReferences?.length === 1, within);
    expect(left.metadata.ownerReferences?.[0]?.name).toBe("other");
  });
});

describe("the namespace controller", () => {
  test("creates the default service account", async () => {
    const namespace = await createNamespace();
    await client.waitFor(ServiceAccount, { name: "default", namespace }, () => true, within);
  });

  test("deletes all content of a deleted namespace", async () => {
    const namespace = await createNamespace();
    await client.create(Deployment, { metadata: { name: "web", namespace }, spec: web("web:1", 2) });
    await client.waitFor(Deployment, { name: "web", namespace }, isRolledOut, within);
    await client.delete(Namespace, { name: namespace });
    await client.waitForDeletion(Namespace, { name: namespace }, within);
    expect((await client.list(Pod, { namespace })).items).toEqual([]);
  });
});

test("creates no pods without controllers", async () => {
  const bare = await startCluster({ without: true });
  const alone = createClient(bare.transport);
  await bare.ready;
  await alone.create(Deployment, { metadata: { name: "web", namespace: "default" }, spec: web("web:1", 1) });
  expect((await alone.list(Node)).items).toEqual([]);
  expect((await alone.get(Deployment, { name: "web", namespace: "default" })).status.observedGeneration).toBeUndefined();
  await bare.stop();
});
