import { startCluster } from "@pintle/cluster";
import { type Manager, silentLogger, startManager } from "pintle";
import { type Client, createClient } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ImoocPod, imoocPod, LABEL } from "../src/imoocpod.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const within = { timeout: 60_000 };
const namespace = "default";
const ref = { name: "example", namespace };
let client: Client;
let operator: Manager;
let stopCluster: () => Promise<void>;

beforeAll(async () => {
  const cluster = await startCluster();
  stopCluster = () => cluster.stop();
  client = createClient(cluster.transport);
  await client.apply(CustomResourceDefinition, ImoocPod.crd());
  operator = await started();
});
afterAll(async () => {
  await operator.stop();
  await stopCluster();
});

async function started(): Promise<Manager> {
  const manager = startManager({ controllers: [imoocPod], client, logger: silentLogger });
  await manager.ready;
  return manager;
}

/** Returns the names of the running pods, oldest first. */
async function podNames(): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: "example" } });
  const living = items.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase !== "Failed");
  return living.map(({ metadata }) => metadata.name).sort();
}

function settled(replicas: number): Promise<ImoocPod> {
  const isSettled = ({ status, metadata }: ImoocPod) =>
    status?.ready === replicas && status.podNames?.length === replicas && status.observedGeneration === metadata.generation;
  return client.waitFor(ImoocPod, ref, isSettled, within);
}

test("creates the desired number of pods and lists them in the status", async () => {
  await client.apply(ImoocPod, { metadata: ref, spec: { replicas: 3 } });
  const { status } = await settled(3);
  expect(status?.podNames).toEqual(await podNames());
});

test("replaces a deleted pod", async () => {
  const [victim = "", ...others] = await podNames();
  await client.delete(Pod, { name: victim, namespace });
  const replaced = (o: ImoocPod) => o.status?.podNames?.length === 3 && !o.status.podNames.includes(victim);
  const { status } = await client.waitFor(ImoocPod, ref, replaced, within);
  expect(status?.podNames).toEqual(expect.arrayContaining(others));
});

test("deletes and replaces a failed pod", async () => {
  const [victim = ""] = await podNames();
  await client.status.patch(Pod, { name: victim, namespace }, { merge: { status: { phase: "Failed" } } });
  await client.waitForDeletion(Pod, { name: victim, namespace }, within);
  await settled(3);
  expect(await podNames()).not.toContain(victim);
});

test("deletes the newest pods when scaling down", async () => {
  const old = await podNames();
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 5 } } });
  await settled(5);
  await client.scale.patch(ImoocPod, ref, { merge: { spec: { replicas: 2 } } });
  const { status } = await settled(2);
  expect(old).toEqual(expect.arrayContaining([...(status?.podNames ?? [])]));
});

test("adopts a pod with the label and no owner", async () => {
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 3 } } });
  await settled(3);
  await operator.stop();
  // The stray pod is older than any pod that the restarted operator creates.
  const [victim = "", ...others] = await podNames();
  await client.delete(Pod, { name: victim, namespace });
  const stray = { name: "stray", namespace, labels: { [LABEL]: "example" } };
  await client.create(Pod, { metadata: stray, spec: { containers: [{ name: "main", image: "busybox:1.36" }] } });
  operator = await started();
  const { status } = await client.waitFor(ImoocPod, ref, (object) => object.status?.podNames?.includes("stray") === true, within);
  expect(status?.podNames).toEqual([...others, "stray"].sort());
  const adopted = await client.get(Pod, { name: "stray", namespace });
  expect(adopted.metadata.ownerReferences).toMatchObject([{ kind: "ImoocPod", name: "example", controller: true }]);
});

test("releases a pod that loses the label and replaces it under a free name", async () => {
  const { status } = await settled(3);
  const free = status?.podNames?.find((name) => name !== "stray") ?? "";
  await client.patch(Pod, { name: free, namespace }, { merge: { metadata: { labels: { [LABEL]: null } } } });
  const released = await client.waitFor(Pod, { name: free, namespace }, (pod) => (pod.metadata.ownerReferences ?? []).length === 0, within);
  expect(released.metadata.deletionTimestamp).toBeUndefined();
  await client.waitFor(ImoocPod, ref, ({ status }) => status?.podNames?.length === 3 && !status.podNames.includes(free), within);
  // After scaling to zero and up again, the name of the released pod is the next one, but still taken.
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 0 } } });
  await settled(0);
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 4 } } });
  expect((await settled(4)).status?.podNames).not.toContain(free);
  await client.delete(Pod, { name: free, namespace });
});

test("catches up with changes that happened while it was stopped", async () => {
  await operator.stop();
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 5 } } });
  const [victim = ""] = await podNames();
  const { uid } = (await client.get(Pod, { name: victim, namespace })).metadata;
  await client.delete(Pod, { name: victim, namespace });
  operator = await started();
  const { status } = await settled(5);
  // Another pod may have the same name.
  const named = status?.podNames?.includes(victim) ? await client.get(Pod, { name: victim, namespace }) : undefined;
  expect(named?.metadata.uid).not.toBe(uid);
  await operator.stop();
  await client.scale.patch(ImoocPod, ref, { merge: { spec: { replicas: 2 } } });
  operator = await started();
  expect((await settled(2)).status?.podNames).toEqual(await podNames());
});

test("deletes its pods with it", async () => {
  const names = await podNames();
  await client.delete(ImoocPod, ref);
  for (const name of names) await client.waitForDeletion(Pod, { name, namespace }, within);
});
