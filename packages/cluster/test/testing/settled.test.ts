import { controller, defineResource, silentLogger, startManager, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const namespace = "default";
const Widget = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int32() }),
  status: z.object({ ready: z.int32() }),
});
const widgets = controller(Widget, {
  owns: [Deployment],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const labels = { widget: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "a" }] } };
    const deployment = Deployment.desired({
      metadata: { name },
      spec: { replicas: object.spec.size, selector: { matchLabels: labels }, template },
    });
    return want({ children: { deployment }, status: { ready: owned(Deployment).get(name)?.status.readyReplicas ?? 0 } });
  },
});

test("resolves when an in-process operator and all controllers are idle", async () => {
  await using cluster = await startCluster();
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Widget.crd());
  await cluster.settled();
  const operator = startManager({ controllers: [widgets], client, logger: silentLogger });
  await operator.ready;
  try {
    for (const size of [3, 1, 5]) {
      await client.apply(Widget, { metadata: { name: "a", namespace }, spec: { size } });
      await cluster.settled();
      const running = (await client.list(Pod, { namespace })).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(running.map(({ status }) => status.phase)).toEqual(Array(size).fill("Running"));
      expect((await client.get(Widget, { name: "a", namespace })).status?.ready).toBe(size);
    }
    await client.delete(Widget, { name: "a", namespace });
    await cluster.settled();
    expect((await client.list(Pod, { namespace })).items).toEqual([]);
  } finally {
    await operator.stop();
  }
});

test("waits for a reconciliation that waits for something outside, and names those that exceed the limit", async () => {
  await using cluster = await startCluster({ without: true });
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Widget.crd());
  let release = () => {};
  const outside = controller(Widget, {
    async reconcile({ object, want }) {
      if (object.status?.ready === 1) return;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return want({ status: { ready: 1 } });
    },
  });
  const operator = startManager({ controllers: [outside], client, logger: silentLogger });
  await operator.ready;
  try {
    await client.create(Widget, { metadata: { name: "a", namespace }, spec: { size: 1 } });
    await expect(cluster.settled({ limit: 50 })).rejects.toThrow(
      "settled(): still running after 0.05 s without a request: reconcile widget default/a. Wait for what they wait for, or raise `limit`",
    );
    setImmediate(() => setImmediate(() => release()));
    await cluster.settled();
    expect((await client.get(Widget, { name: "a", namespace })).status?.ready).toBe(1);
  } finally {
    await operator.stop();
  }
});

test.each([
  ["preferred", "v1beta1"],
  ["not preferred", "v2"],
] as const)("resolves in a fork whose conversion webhook is not served, with a stored version that is %s", async (_, version) => {
  const Converted = defineResource({ group: "test.example.com", version: "v1", kind: "Gadget", spec: z.object({ size: z.int32() }) }).older(
    {
      version,
      spec: z.object({ count: z.int32() }),
      toHub: ({ spec }) => ({ spec: { size: spec.count } }),
      fromHub: ({ spec }) => ({ spec: { count: spec.size } }),
    },
  );
  await using base = await startCluster();
  const client = base.client();
  const conversion = { service: { namespace: "nowhere", name: "webhook", path: "/convert" } };
  await client.create(CustomResourceDefinition, Converted.crd({ conversion }));
  await base.settled();
  await client.create(Converted, { metadata: { name: "a", namespace }, spec: { size: 1 } });
  await base.settled();
  await using fork = await base.fork();
  await fork.settled();
  const inFork = fork.client();
  const { metadata } = await inFork.get(Converted, { name: "a", namespace });
  const owner = { apiVersion: "test.example.com/v1", kind: "Gadget", name: "a", uid: metadata.uid };
  await inFork.create(ConfigMap, { metadata: { name: "child", namespace, ownerReferences: [owner] } });
  await inFork.delete(Converted, { name: "a", namespace });
  await fork.settled();
  expect(await inFork.find(ConfigMap, { name: "child", namespace })).toBeUndefined();
  if (version === "v2") return;
  await inFork.create(Namespace, { metadata: { name: "mine" } });
  await inFork.create(Converted, { metadata: { name: "a", namespace: "mine" }, spec: { size: 1 } });
  await inFork.delete(Namespace, { name: "mine" });
  await fork.settled();
  expect(await inFork.find(Namespace, { name: "mine" })).toBeUndefined();
});

test("waits for the deletion of a namespace and its content", async () => {
  await using cluster = await startCluster();
  const client = cluster.client();
  await cluster.ready;
  await client.create(Namespace, { metadata: { name: "mine" } });
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "mine" } });
  await client.delete(Namespace, { name: "mine" });
  await cluster.settled();
  expect(await client.find(Namespace, { name: "mine" })).toBeUndefined();
});

test("ignores work that waits for the clock, and waits for it once it is due", async () => {
  await using cluster = await startCluster({ clock: virtualClock(), without: true });
  const client = cluster.client();
  using slow = cluster.faults.add({ on: { resource: "configmaps" }, do: { latency: 60_000 } });
  const creation = client.create(ConfigMap, { metadata: { name: "a", namespace } });
  await cluster.settled();
  expect(await client.find(Namespace, { name: "default" })).toBeDefined();
  await cluster.advance(59_999);
  expect(cluster.journal.matching({ verb: "create" })).toEqual([]);
  await cluster.advance(1);
  expect(cluster.journal.matching({ verb: "create", code: 201 })).toHaveLength(1);
  await creation;
  expect(slow.hits).toBe(1);
});

test("stops while a request waits for the clock", async () => {
  const cluster = await startCluster({ clock: virtualClock() });
  await cluster.settled();
  cluster.faults.add({ on: { user: "system:kube-controller-manager", verb: ["create", "patch", "update"] }, do: { latency: 60_000 } });
  await cluster.client().create(Pod, { metadata: { name: "a", namespace }, spec: { containers: [{ name: "main", image: "a" }] } });
  await cluster.settled();
  await cluster.stop();
});

test("waits for quiet clients in other processes", async () => {
  await using cluster = await startCluster({ without: true, plainHttp: true });
  let requests = 0;
  const elsewhere = (async () => {
    for (; requests < 5; requests++) await (await fetch(`${cluster.plainUrl}/version`)).text();
  })();
  await cluster.settled({ quiet: 300 });
  expect(requests).toBe(5);
  await elsewhere;
});

test("refuses to advance a real clock", async () => {
  await using cluster = await startCluster({ without: true });
  await expect(cluster.advance(1)).rejects.toThrow("start the cluster with { clock: virtualClock() }");
});
