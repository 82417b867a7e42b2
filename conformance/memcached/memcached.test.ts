/** The Memcached operator, unchanged, on a real kube-apiserver with kube-controller-manager. */
import { silent, start } from "pintle";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { type ControlPlaneOptions, startControlPlane } from "../real/index.ts";

const within = { timeout: 60_000 };
const ref = { name: "sample", namespace: "default" };
const available = (object: Memcached) => object.status?.conditions?.find((c) => c.type === "Available");

/** The operator at work on a control plane of its own. */
async function operated(options: ControlPlaneOptions, story: (client: Client) => Promise<void>): Promise<void> {
  const plane = await startControlPlane(options);
  try {
    const client = await connect({ kubeconfig: plane.kubeconfig });
    await client.apply(CustomResourceDefinition, Memcached.crd());
    const established = (crd: CustomResourceDefinition) =>
      crd.status.conditions?.some((c) => c.type === "Established" && c.status === "True") === true;
    await client.wait(CustomResourceDefinition, { name: `${Memcached.plural}.${Memcached.group}` }, established, within);
    const operator = start({ controllers: [memcached], client, logger: silent });
    try {
      await operator.ready;
      await story(client);
    } finally {
      await operator.stop();
      await client.close();
    }
  } finally {
    await plane.stop();
  }
}

async function gone(client: Client): Promise<void> {
  await client.delete(Memcached, ref);
  await client.waitGone(Deployment, ref, within);
  for (const { metadata } of (await client.list(Pod, { namespace: ref.namespace })).items) await client.waitGone(Pod, metadata, within);
  expect((await client.list(ReplicaSet, { namespace: ref.namespace })).items).toEqual([]);
}

describe("a real control plane", () => {
  test("without nodes: pods appear, wait, and the condition says so", () =>
    operated({ controllerManager: true }, async (client) => {
      await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
      const object = await client.wait(Memcached, ref, (m) => m.status?.nodes?.length === 3, within);
      const pods = (await client.list(Pod, { namespace: ref.namespace })).items;
      expect(object.status?.nodes).toEqual(pods.map((p) => p.metadata.name).sort());
      expect(pods.map((p) => p.status.phase)).toEqual(["Pending", "Pending", "Pending"]);
      expect(available(object)).toMatchObject({ status: "False", reason: "PodsPending", message: "0 of 3 pods are ready, 3 are pending" });
    }));

  test("with nodes: it becomes available, scales, heals and goes", () =>
    operated({ controllerManager: true, scheduler: true, nodes: 2 }, async (client) => {
      const running = (size: number) => (m: Memcached) => m.status?.nodes?.length === size && available(m)?.status === "True";
      await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
      await client.wait(Memcached, ref, running(3), within);
      await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: 5 } } });
      const { status } = await client.wait(Memcached, ref, running(5), within);
      const victim = status?.nodes?.[0] ?? "";
      await client.delete(Pod, { name: victim, namespace: ref.namespace });
      await client.wait(Memcached, ref, (m) => running(5)(m) && !m.status?.nodes?.includes(victim), within);
      await gone(client);
    }));
});
