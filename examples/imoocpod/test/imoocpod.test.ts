import { startCluster } from "@pintle/cluster";
import { type Manager, silent, start } from "pintle";
import { type Client, clientOver } from "pintle/client";
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
  client = clientOver(cluster.transport);
  await client.apply(CustomResourceDefinition, ImoocPod.crd());
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
    status?.ready === replicas && status.podNames?.length === replicas && status.observedGeneration === metadata.generation;
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
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 3 } } });
  await settled(3);
  await operator.stop();
  // Two wanted, of which one is a stranger: it is older than whatever would be made now.
  const [victim = "", ...others] = await podNames();
  await client.delete(Pod, { name: victim, namespace });
  const stray = { name: "stray", namespace, labels: { [LABEL]: "example" } };
  await client.create(Pod, { metadata: stray, spec: { containers: [{ name: "main", image: "busybox:1.36" }] } });
  operator = await started();
  const { status } = await client.wait(ImoocPod, ref, (object) => object.status?.podNames?.includes("stray") === true, within);
  expect(status?.podNames).toEqual([...others, "stray"].sort());
  const adopted = await client.get(Pod, { name: "stray", namespace });
  expect(adopted.metadata.ownerReferences).toMatchObject([{ kind: "ImoocPod", name: "example", controller: true }]);
});

test("a pod that loses the label is let go, and replaced under a name that is free", async () => {
  const { status } = await settled(3);
  const free = status?.podNames?.find((name) => name !== "stray") ?? "";
  await client.patch(Pod, { name: free, namespace }, { merge: { metadata: { labels: { [LABEL]: null } } } });
  const released = await client.wait(Pod, { name: free, namespace }, (pod) => (pod.metadata.ownerReferences ?? []).length === 0, within);
  expect(released.metadata.deletionTimestamp).toBeUndefined();
  await client.wait(ImoocPod, ref, ({ status }) => status?.podNames?.length === 3 && !status.podNames.includes(free), within);
  // Fewer, then more: now its number is the next one, and it still has it.
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 0 } } });
  await settled(0);
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 4 } } });
  expect((await settled(4)).status?.podNames).not.toContain(free);
  await client.delete(Pod, { name: free, namespace });
});

test("what changed while it was down is caught up with", async () => {
  await operator.stop();
  await client.patch(ImoocPod, ref, { merge: { spec: { replicas: 5 } } });
  const [victim = ""] = await podNames();
  const { uid } = (await client.get(Pod, { name: victim, namespace })).metadata;
  await client.delete(Pod, { name: victim, namespace });
  operator = await started();
  const { status } = await settled(5);
  // Its name may be taken again, by another pod.
  const named = status?.podNames?.includes(victim) ? await client.get(Pod, { name: victim, namespace }) : undefined;
  expect(named?.metadata.uid).not.toBe(uid);
  await operator.stop();
  await client.scale.patch(ImoocPod, ref, { merge: { spec: { replicas: 2 } } });
  operator = await started();
  expect((await settled(2)).status?.podNames).toEqual(await podNames());
});

test("its pods go with it", async () => {
  const names = await podNames();
  await client.delete(ImoocPod, ref);
  for (const name of names) await client.waitGone(Pod, { name, namespace }, within);
});
