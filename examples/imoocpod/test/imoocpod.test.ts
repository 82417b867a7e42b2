import { startCluster } from "@pintle/cluster";
import { type Manager, silent, start } from "pintle";
import { type Client, clientOver } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ImoocPod, imoocPod, LABEL } from "../src/imoocpod.ts";

const within = { timeout: 30_000 };
const namespace = "default";
const ref = { name: "example", namespace };
let client: Client;
let operator: Manager;
let stopCluster: () => Promise<void>;

beforeAll(async () => {
  const cluster = await startCluster();
  stopCluster = () => cluster.stop();
  client = clientOver(cluster.transport);
  await client.create(CustomResourceDefinition, ImoocPod.crd());
  operator = await started();
});
afterAll(async () => {
  await operator.stop();
  await stopCluster();
});

async function started(): Promise<Manager> {
  const manager = start({ controllers: [imoocPod], client, logger: silent });
  await manager.ready;
  return manager;
}

/** The pods that live, oldest first. */
async function podNames(): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: "example" } });
  const living = items.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase !== "Failed");
  return living.map(({ metadata }) => metadata.name).sort();
}

function settled(replicas: number): Promise<ImoocPod> {
  const isSettled = ({ status, metadata }: ImoocPod) =>
    status?.replicas === replicas && status.podNames?.length === replicas && status.observedGeneration === metadata.generation;
  return client.wait(ImoocPod, ref, isSettled, within);
}

test("it keeps as many pods as are wanted, and lists them", async () => {
  await client.apply(ImoocPod, { metadata: ref, spec: { replicas: 3 } });
  const { status } = await settled(3);
  expect(status?.podNames).toEqual(await podNames());
});

test("a deleted pod is replaced", async () => {
  const [victim = "", ...others] = await podNames();
  await client.delete(Pod, { name: victim, namespace });
  const replaced = (o: ImoocPod) => o.status?.podNames?.length === 3 && !o.status.podNames.includes(victim);
  const { status } = await client.wait(ImoocPod, ref, replaced, within);
  expect(status?.podNames).toEqual(expect.arrayContaining(others));
});

test("a failed pod is replaced and removed", async () => {
  const [victim = ""] = await podNames();
  await client.status.patch(Pod, { name: victim, namespace }, { merge: { status: { phase: "Failed" } } });
  await client.waitGone(Pod, { name: victim, namespace }, within);
  await settled(3);
  expect(await podNames()).not.toContain(victim);
});

test("of too many the newest go", async () => {
  const old = await podNames();
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 5 } } });
  await settled(5);
  await client.scale.patch(ImoocPod, ref, { merge: { spec: { replicas: 2 } } });
  const { status } = await settled(2);
  expect(old).toEqual(expect.arrayContaining([...(status?.podNames ?? [])]));
});

test("a pod with the label and no owner is adopted, and counts", async () => {
  const stray = { name: "stray", namespace, labels: { [LABEL]: "example" } };
  await client.create(Pod, { metadata: stray, spec: { containers: [{ name: "main", image: "busybox:1.36" }] } });
  await client.wait(Pod, { name: "stray", namespace }, (pod) => pod.metadata.ownerReferences?.[0]?.name === "example", within).catch(gone);
  await settled(2);
});

test("a pod that loses the label is let go, and replaced", async () => {
  const [free = ""] = await podNames();
  await client.patch(Pod, { name: free, namespace }, { merge: { metadata: { labels: { [LABEL]: null } } } });
  const released = await client.wait(Pod, { name: free, namespace }, (pod) => (pod.metadata.ownerReferences ?? []).length === 0, within);
  expect(released.metadata.deletionTimestamp).toBeUndefined();
  await client.wait(ImoocPod, ref, ({ status }) => status?.podNames?.length === 2 && !status.podNames.includes(free), within);
  await client.delete(Pod, { name: free, namespace });
});

test("what changed while it was down is caught up with", async () => {
  await operator.stop();
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 4 } } });
  const [victim = ""] = await podNames();
  await client.delete(Pod, { name: victim, namespace });
  operator = await started();
  const { status } = await settled(4);
  expect(status?.podNames).not.toContain(victim);
});

test("its pods go with it", async () => {
  const names = await podNames();
  await client.delete(ImoocPod, ref);
  for (const name of names) await client.waitGone(Pod, { name, namespace }, within);
});

/** The newest of too many: it may be adopted and gone before anybody looks. */
function gone(): void {}
