import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod, ResourceQuota } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AuditLogEntry, type Cluster, type StoreEvent, startCluster } from "../../src/index.ts";

const namespace = "default";
let cluster: Cluster;
let firstRevision: number;
const events: StoreEvent[] = [];

beforeAll(async () => {
  cluster = await startCluster({ clock: virtualClock(), random: seededRandom(3) });
  await cluster.ready;
  await cluster.settled();
  firstRevision = cluster.server.store.currentRevision();
  cluster.journal.clear();
  await cluster.server.store.watch("/", firstRevision, (event) => events.push(event));
});
afterAll(() => cluster.stop());

const commitsOf = (entry: AuditLogEntry) => entry.commits.map(({ type, key }) => `${type} ${key.replace("/registry/", "")}`);
const lastOf = (verb: string, resource: string) => cluster.journal.matching({ verb, resource }).at(-1)!;

test("every commit of clients, controllers, scheduler and nodes belongs to exactly one request, deletions by uid", async () => {
  const client = cluster.client();
  await client.create(Namespace, { metadata: { name: "team" } });
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  await cluster.settled();
  await client.delete(Deployment, { name: "web", namespace });
  await client.delete(Namespace, { name: "team" });
  await cluster.advance(60_000);
  const recorded = cluster.journal.entries.flatMap(({ commits }) => commits);
  expect(events.length).toBeGreaterThan(40);
  const stored = events.map(({ type, key, revision, value }) => ({ type, key, revision, uid: (value.metadata as { uid: string }).uid }));
  const byRevision = [...recorded].sort((a, b) => a.revision - b.revision);
  expect(byRevision).toEqual(stored);
});

test("a request that deletes a collection reports every object, and one that changes nothing reports none", async () => {
  const client = cluster.client();
  for (const name of ["a", "b"]) await client.create(ConfigMap, { metadata: { name, namespace, labels: { of: "x" } } });
  await client.deleteCollection(ConfigMap, { namespace, labels: { of: "x" } });
  expect(commitsOf(lastOf("deletecollection", "configmaps"))).toEqual(["delete configmaps/default/a", "delete configmaps/default/b"]);
  await client.create(ConfigMap, { metadata: { name: "same", namespace }, data: { a: "1" } });
  await client.patch(ConfigMap, { name: "same", namespace }, { merge: { data: { a: "1" } } });
  expect(lastOf("patch", "configmaps")).toMatchObject({ code: 200, commits: [] });
});

test("what admission and evictions write on the side belongs to the request", async () => {
  const client = cluster.client();
  await client.create(ResourceQuota, { metadata: { name: "few", namespace }, spec: { hard: { configmaps: "9" } } });
  await cluster.settled();
  await client.create(ConfigMap, { metadata: { name: "counted", namespace } });
  expect(commitsOf(lastOf("create", "configmaps"))).toEqual(["put resourcequotas/default/few", "put configmaps/default/counted"]);
  const labels = { app: "guarded" };
  await client.create(PodDisruptionBudget, {
    metadata: { name: "guard", namespace },
    spec: { minAvailable: 0, selector: { matchLabels: labels } },
  });
  await client.create(Pod, { metadata: { name: "one", namespace, labels }, spec: { containers: [{ name: "main", image: "web:1" }] } });
  await cluster.settled();
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "one", namespace } };
  await cluster.transport.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods/one/eviction`, body });
  const [eviction] = cluster.journal.matching({ verb: "create", resource: "pods/eviction" });
  expect(commitsOf(eviction!)[0]).toBe("put poddisruptionbudgets/default/guard");
  expect(commitsOf(eviction!).slice(1)).toEqual(expect.arrayContaining(["put pods/default/one"]));
});

test("an entry has the id of the Audit-ID header, its duration, and the message of a refusal", async () => {
  const headers = { "audit-id": "boot-12.1" };
  await cluster.transport.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/pods/none`, headers });
  expect(cluster.journal.entries.at(-1)).toMatchObject({
    id: "boot-12.1",
    code: 404,
    message: 'pods "none" not found',
    duration: 0,
    commits: [],
  });
});
