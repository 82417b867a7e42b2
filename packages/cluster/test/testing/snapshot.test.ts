import { type Client, Expired, NotFound } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const namespace = "default";
const OBJECTS = 1000;
let base: Cluster;
let client: Client;

beforeAll(async () => {
  base = await startCluster({ clock: virtualClock(), random: seededRandom(1) });
  client = base.client();
  await base.ready;
  for (let i = 0; i < OBJECTS; i++) await client.create(ConfigMap, { metadata: { name: `a${i}`, namespace }, data: { i: String(i) } });
  await base.settled();
});
afterAll(() => base.stop());

const value = async (of: Cluster, name: string) => (await of.client().find(ConfigMap, { name, namespace }))?.data?.["i"];
const webOf = (replicas: number) => ({
  metadata: { name: "web", namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
});

test("creates a thousand independent forks", async () => {
  const before = process.cpuUsage();
  const forks: Cluster[] = [];
  for (let i = 0; i < 1000; i++) forks.push(await base.fork());
  // CPU time depends less on other load of the machine.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
  const some = forks.filter((_, i) => i % 250 === 0);
  for (const [i, fork] of some.entries()) {
    await fork.client().patch(ConfigMap, { name: "a7", namespace }, { merge: { data: { i: `of ${i}` } } });
    await fork.client().delete(ConfigMap, { name: "a8", namespace });
  }
  expect(await Promise.all(some.map((fork) => value(fork, "a7")))).toEqual(some.map((_, i) => `of ${i}`));
  expect(await Promise.all(some.map((fork) => value(fork, "a8")))).toEqual(some.map(() => undefined));
  expect(await value(forks[1]!, "a7")).toBe("7");
  expect([await value(base, "a7"), await value(base, "a8")]).toEqual(["7", "8"]);
  await Promise.all(forks.map((fork) => fork.stop()));
});

test("starts the controllers of a fork with its first write", async () => {
  await using fork = await base.fork();
  const own = fork.client();
  expect((await own.list(ConfigMap, { namespace })).items.length).toBeGreaterThanOrEqual(OBJECTS);
  expect(fork.journal.matching({ user: "system:kube-controller-manager" })).toEqual([]);
  await own.create(Deployment, webOf(2));
  await fork.settled();
  expect((await own.list(Pod, { namespace, labels: { app: "web" } })).items.map(({ status }) => status.phase)).toEqual([
    "Running",
    "Running",
  ]);
  expect((await client.list(Pod, { namespace, labels: { app: "web" } })).items).toEqual([]);
});

test("advances the clock of a fork independently", async () => {
  await using fork = await base.fork();
  const before = base.clock.now();
  await fork.advance(3_600_000);
  expect(base.clock.now()).toBe(before);
  expect(fork.clock.now()).toBe(before + 3_600_000);
});

test("starts several clusters from a snapshot with its revisions and history", async () => {
  await using first = await base.fork();
  const own = first.client();
  const since = (await own.list(ConfigMap, { namespace })).metadata.resourceVersion;
  await own.create(ConfigMap, { metadata: { name: "later", namespace } });
  await first.settled();
  const snapshot = first.snapshot();
  await own.delete(ConfigMap, { name: "later", namespace });

  await using second = await startCluster({ from: snapshot, without: true });
  const restored = second.client();
  const later = await restored.get(ConfigMap, { name: "later", namespace });
  const made = await restored.create(ConfigMap, { metadata: { name: "after", namespace } });
  expect(Number(made.metadata.resourceVersion)).toBe(snapshot.objects.revision + 1);
  const names: string[] = [];
  for await (const event of restored.watch(ConfigMap, { namespace, resourceVersion: since })) {
    if (event.type !== "BOOKMARK") names.push(event.object.metadata.name);
    if (names.length === 2) break;
  }
  expect(names).toEqual([later.metadata.name, "after"]);
  await expect(own.get(ConfigMap, { name: "later", namespace })).rejects.toThrow(NotFound);
});

test.each([
  ["resumes watches with history", true],
  ["ends watches with 410 without history", false],
])("restart: %s", async (_, history) => {
  await using fork = await base.fork({ http: true });
  const own = fork.client();
  const since = (await own.list(ConfigMap, { namespace })).metadata.resourceVersion;
  const broken = (async () => {
    for await (const _event of own.watch(ConfigMap, { namespace, resourceVersion: since })) {
      // Until it breaks.
    }
  })();
  const before = fork.url;
  await own.create(ConfigMap, { metadata: { name: "unseen", namespace } });
  const failed = expect(broken).rejects.toThrow("broke");
  await fork.restart({ history });
  await failed;
  expect(fork.url).toBe(before);
  const again = (async () => {
    for await (const event of own.watch(ConfigMap, { namespace, resourceVersion: since })) {
      if (event.type !== "BOOKMARK") return event.object.metadata.name;
    }
    return undefined;
  })();
  if (history) expect(await again).toBe("unseen");
  else await expect(again).rejects.toThrow(Expired);
  // Controllers are running again.
  await own.create(Deployment, webOf(1));
  await fork.ready;
  await fork.settled();
  expect((await own.list(Pod, { namespace, labels: { app: "web" } })).items.map(({ status }) => status.phase)).toEqual(["Running"]);
});

test("refuses a snapshot together with a store", async () => {
  await expect(startCluster({ from: base.snapshot(), store: "memory" })).rejects.toThrow("omit `store` or `from`");
});
