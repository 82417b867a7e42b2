import { startCluster } from "@pintle/cluster";
import { silent, start } from "pintle";
import { type Client, clientOver } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Memcached, memcached } from "../src/memcached.ts";

const within = { timeout: 10_000 };
const ref = { name: "cache", namespace: "default" };
let client: Client;
let stop: () => Promise<void>;

beforeAll(async () => {
  const cluster = await startCluster();
  client = clientOver(cluster.transport);
  await client.create(CustomResourceDefinition, Memcached.crd());
  const operator = start({ controllers: [memcached], client, logger: silent });
  await operator.ready;
  stop = async () => {
    await operator.stop();
    await cluster.stop();
  };
});
afterAll(() => stop());

const podNames = async () => (await client.list(Pod, { namespace: ref.namespace })).items.map((p) => p.metadata.name).sort();
const available = (object: Memcached) => object.status?.conditions?.find((c) => c.type === "Available");
const running = (size: number) => (object: Memcached) =>
  object.status?.nodes?.length === size &&
  available(object)?.status === "True" &&
  object.status.observedGeneration === object.metadata.generation;

test("size gives a Deployment and its pods, listed in status.nodes", async () => {
  await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
  const object = await client.wait(Memcached, ref, running(3), within);
  expect(object.status?.nodes).toEqual(await podNames());
  expect((await client.get(Deployment, ref)).spec.replicas).toBe(3);
});

test("scaling up and down follows, through the scale subresource too", async () => {
  await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: 5 } } });
  await client.wait(Memcached, ref, running(5), within);
  expect(await client.scale.get(Memcached, ref)).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 5 } });
  await client.patch(Memcached, ref, { merge: { spec: { size: 2 } } });
  const object = await client.wait(Memcached, ref, running(2), within);
  expect(object.status?.nodes).toEqual(await podNames());
});

test("a deleted pod comes back under another name", async () => {
  const [victim = ""] = await podNames();
  await client.delete(Pod, { name: victim, namespace: ref.namespace });
  const back = (object: Memcached) => running(2)(object) && !object.status?.nodes?.includes(victim);
  const object = await client.wait(Memcached, ref, back, within);
  expect(object.status?.nodes).toEqual(await podNames());
});

test("a Deployment changed by hand is put right", async () => {
  await client.patch(Deployment, ref, { merge: { spec: { replicas: 7 } } });
  await client.wait(Deployment, ref, (d) => d.spec.replicas === 2, within);
});

test("what is not a size is refused with the field's name", async () => {
  const wrong = client.apply(Memcached, { metadata: { ...ref, name: "wrong" }, spec: { size: 12 } });
  await expect(wrong).rejects.toThrow(/spec\.size.*less than or equal to 9/);
});

test("deleting it takes everything with it", async () => {
  await client.delete(Memcached, ref);
  await client.waitGone(Deployment, ref, within);
  for (const name of await podNames()) await client.waitGone(Pod, { name, namespace: ref.namespace }, within);
});
