import { controller, createFlightRecorder, defineResource, encodeSecretData, formatExplanation, startManager, z } from "pintle";
import { type CommitExplanation, createCausalIndex, explainCommit } from "pintle/internal/recorder";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod, Secret } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { expect, onTestFinished, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const Cache = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  spec: z.object({ size: z.int() }),
  status: z.object({ ready: z.int() }),
});
const caches = controller(Cache, {
  owns: [Deployment],
  reconcile({ object, owned, want, event }) {
    const { name } = object.metadata;
    const labels = { app: name };
    const ready = owned(Deployment).get(name)?.status.readyReplicas ?? 0;
    if (ready > 0) event("Ready", `${ready} replicas are ready`);
    return want({
      children: {
        main: Deployment.desired({
          metadata: { name },
          spec: {
            replicas: object.spec.size,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "memcached:1" }] } },
          },
        }),
      },
      status: { ready },
    });
  },
});

const USER = { name: "jane", groups: ["system:masters"] };

async function startRecorded(options: Parameters<typeof startCluster>[0] = {}): Promise<Cluster> {
  const cluster = await startCluster({ recorder: true, ...options });
  onTestFinished(() => cluster.stop());
  await cluster.ready;
  await cluster.client().apply(CustomResourceDefinition, Cache.crd() as never, { force: true });
  await cluster.settled();
  return cluster;
}

function startOperator(cluster: Cluster) {
  const manager = startManager({
    controllers: [caches],
    client: cluster.client(),
    clock: cluster.clock,
    recorder: cluster.recorder,
    logger: silent,
  });
  onTestFinished(() => manager.stop());
  return manager.ready;
}
const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent } as never;

/** The leaves of an explanation: requests of clients, and causes that are no commits. */
function rootsOf(explanation: CommitExplanation): string[] {
  if (explanation.run === undefined) return [explanation.request === undefined ? "unknown" : `request of ${explanation.request.user}`];
  return [...explanation.causes.flatMap(rootsOf), ...explanation.otherCauses.map(({ event }) => event)];
}

test("a commit of a pod is explained up to the request of the user, through operator, Deployment, ReplicaSet and scheduler", async () => {
  const cluster = await startRecorded();
  await startOperator(cluster);
  const client = cluster.client({ user: USER });
  await client.create(Cache, { metadata: { name: "m", namespace: "default" }, spec: { size: 2 } });
  await cluster.settled();
  const explanation = await cluster.why(Cache, { namespace: "default", name: "m" }, { field: ".status.ready" });
  const text = formatExplanation(explanation);
  expect(explanation.run?.controller).toBe("cache");
  expect(explanation.commit.fields).toContainEqual({ path: ".status.ready", old: expect.anything(), new: 2 });
  expect(new Set(rootsOf(explanation))).toContain("request of jane");
  for (const part of ["deployments/default/m", "replicasets/default/m-", "pods/default/m-", "by scheduler", "by kubelet node-1", "by jane"])
    expect(text).toContain(part);
  // The field that the user wrote has no other cause.
  const written = await cluster.why(Cache, { namespace: "default", name: "m" }, { field: "spec.size" });
  expect(written).toMatchObject({ run: undefined, request: { user: "jane", verb: "create" }, causes: [] });
});

test("every commit of operator, controllers, scheduler and nodes is recorded, and leads to a request, a timer or a start", async () => {
  const cluster = await startRecorded({ clock: virtualClock() });
  const first = cluster.server.store.currentRevision();
  await startOperator(cluster);
  const client = cluster.client({ user: USER });
  await client.create(Namespace, { metadata: { name: "shop" } });
  for (let i = 0; i < 5; i++) await client.create(Cache, { metadata: { name: `m${i}`, namespace: "shop" }, spec: { size: 2 } });
  await cluster.advance(60_000);
  for (let i = 0; i < 5; i++) await client.patch(Cache, { name: `m${i}`, namespace: "shop" }, { merge: { spec: { size: 3 } } });
  await cluster.advance(60_000);
  await client.delete(Deployment, { name: "m0", namespace: "shop" });
  await client.delete(Cache, { name: "m1", namespace: "shop" });
  await cluster.advance(60_000);
  await client.delete(CustomResourceDefinition, { name: Cache.crd().metadata.name });
  await client.delete(Namespace, { name: "shop" });
  await cluster.advance(60_000);

  const facts = cluster.recorder!.facts();
  const index = createCausalIndex(facts);
  const { history } = cluster.server.store.snapshot();
  const made = history.filter(({ revision }) => revision > first);
  expect(made.length).toBeGreaterThan(200);
  expect(made.filter(({ revision }) => !index.commits.has(revision)).map(({ key }) => key)).toEqual([]);
  const unexplained: string[] = [];
  const users = new Set<string>();
  for (const { revision } of made) {
    const explanation = explainCommit(index, revision)!;
    const roots = rootsOf(explanation);
    for (const root of roots) users.add(root);
    if (roots.length === 0 || roots.includes("unknown")) unexplained.push(formatExplanation(explanation));
  }
  expect(unexplained).toEqual([]);
  // Requests without a run are those of clients: no controller writes without one.
  expect([...users].filter((root) => root.startsWith("request of")).sort()).toEqual(["request of jane"]);
  const caused = made.filter(({ revision }) => rootsOf(explainCommit(index, revision)!).some((root) => root === "request of jane"));
  expect(caused.length / made.length).toBeGreaterThan(0.9);
});

test("a run names every version that was merged into it, and its audit id joins the audit log", async () => {
  // The Deployment stays as it is written, however long the run takes.
  const cluster = await startRecorded({ without: ["deployment-controller"] });
  await startOperator(cluster);
  const client = cluster.client({ user: USER });
  await client.create(Cache, { metadata: { name: "m", namespace: "default" }, spec: { size: 1 } });
  await cluster.settled();
  const facts = cluster.recorder!.facts();
  const run = facts.find((fact) => fact.type === "run" && fact.controller === "cache")!;
  const entry = cluster.journal.matching({ resource: "deployments", fieldManager: "cache" }).at(0)!;
  expect(entry.id).toMatch(/^[0-9a-f]{8}-\d+\.\d+$/);
  expect(run).toMatchObject({
    key: "default/m",
    result: "success",
    causes: [{ event: "added", source: "object", object: { kind: "Cache", name: "m" } }],
  });
  expect(entry.id.startsWith(`${(run as { id: string }).id}.`)).toBe(true);
  expect(
    facts
      .filter((fact) => fact.type === "plan" && fact.run === (run as { id: string }).id)
      .map((fact) => fact.type === "plan" && [fact.pass, fact.steps[0]?.step]),
  ).toEqual([
    [1, "apply"],
    [2, "skip"],
    [3, "skip"],
  ]);
  expect(facts).toContainEqual(expect.objectContaining({ type: "drop", controller: "cache", reason: "own write", key: "default/m" }));
});

test("without the option nothing is recorded, and why names it", async () => {
  await using cluster = await startCluster();
  expect(cluster.recorder).toBeUndefined();
  await expect(cluster.why(Pod, { namespace: "default", name: "x" })).rejects.toThrow("startCluster({ recorder: true })");
});

test("a fork continues the recording, and why explains what happened before the fork", async () => {
  const cluster = await startRecorded();
  await cluster.client({ user: USER }).create(ConfigMap, { metadata: { name: "c", namespace: "default" }, data: { a: "1" } });
  await using fork = await cluster.fork();
  await fork.client().patch(ConfigMap, { name: "c", namespace: "default" }, { merge: { data: { b: "2" } } });
  expect((await fork.why(ConfigMap, { name: "c", namespace: "default" }, { field: ".data.a" })).request?.user).toBe("jane");
  expect((await fork.why(ConfigMap, { name: "c", namespace: "default" }, { field: ".data.b" })).request?.user).toBe("kubernetes-admin");
  await expect(fork.why(ConfigMap, { name: "c", namespace: "default" }, { field: ".data.z" })).rejects.toThrow("has no field .data.z");
});

test("values of Secrets are in no fact and no explanation", async () => {
  const cluster = await startRecorded();
  const client = cluster.client({ user: USER });
  await client.create(Secret, { metadata: { name: "s", namespace: "default" }, data: encodeSecretData({ password: "correct horse" }) });
  await client.patch(Secret, { name: "s", namespace: "default" }, { merge: { data: encodeSecretData({ password: "battery staple" }) } });
  const explanation = await cluster.why(Secret, { namespace: "default", name: "s" });
  expect(explanation.commit.fields).toEqual([
    { path: ".data.password", old: expect.stringMatching(/^\(redacted [0-9a-f]{12}\)$/), new: expect.stringMatching(/^\(redacted /) },
  ]);
  for (const value of ["correct horse", "battery staple"])
    for (const secret of [value, Buffer.from(value).toString("base64")])
      expect(cluster.recorder!.text() + JSON.stringify(explanation)).not.toContain(secret);
});

test("a plan names the fields that differ, a watch its lists, and the manager the keys of its queues", async () => {
  const cluster = await startRecorded();
  const recorder = createFlightRecorder({ clock: cluster.clock });
  const fails = controller(Cache, {
    name: "fails",
    reconcile() {
      throw new Error("no");
    },
  });
  const manager = startManager({ controllers: [caches, fails], client: cluster.client(), clock: cluster.clock, recorder, logger: silent });
  onTestFinished(() => manager.stop());
  await manager.ready;
  const client = cluster.client({ user: USER });
  await client.create(Cache, { metadata: { name: "m", namespace: "default" }, spec: { size: 1 } });
  await cluster.settled();
  await client.patch(Cache, { name: "m", namespace: "default" }, { merge: { spec: { size: 2 } } });
  await cluster.settled();
  const facts = recorder.facts();
  const applied = facts.flatMap((fact) => (fact.type === "plan" ? fact.steps.filter(({ step }) => step === "apply") : []));
  expect(applied.map(({ kind, name, changes }) => [kind, name, changes])).toEqual([
    ["Deployment", "m", undefined],
    ["Deployment", "m", [{ path: ".spec.replicas", old: 1, new: 2 }]],
  ]);
  expect(applied[0]).toMatchObject({ body: { spec: { replicas: 1 } }, digest: expect.any(String) });
  // Each step names the request that executed it.
  for (const { request } of applied)
    expect(facts).toContainEqual(expect.objectContaining({ type: "request", side: "client", id: request, verb: "apply", code: 200 }));
  expect(facts).toContainEqual(expect.objectContaining({ type: "watch", kind: "Cache", event: "listed", objects: 0 }));
  // Lines of the manager, outside of runs; those of controllers are recorded once.
  expect(facts.filter((fact) => fact.type === "log" && fact.message === "Caches synced")).toMatchObject([
    { level: "info", fields: { objects: 0 } },
  ]);
  expect(facts.filter((fact) => fact.type === "log" && fact.message === "Starting workers")).toHaveLength(2);
  const queue = manager.queues().find(({ controller: name }) => name === "fails");
  expect(queue?.keys).toMatchObject([{ key: "default/m", failures: expect.any(Number) }]);
  expect(queue?.keys[0]?.failures).toBeGreaterThan(0);
  expect(manager.queues().find(({ controller: name }) => name === "cache")?.keys).toEqual([]);
});
