import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createWriteThroughClient, type ObjectChange } from "../src/cache/index.ts";
import { seededRandom, virtualClock } from "../src/clock/index.ts";
import { controller, silentLogger } from "../src/controller/index.ts";
import { ConfigMap, Namespace, Pod } from "../src/kinds/generated/core/v1.ts";
import { defineUntypedKind, metadataOnly } from "../src/kinds/index.ts";
import { startManager } from "../src/manager/index.ts";
import { names, pod, setupCache } from "./fakes/cache.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const at = (name: string, namespace = "d") => ({ name, namespace });

describe("shared cache", () => {
  test("RT-15 a slow handler delays no other, and its later rejection is reported", async () => {
    const { server, cache, clock, objectErrors } = setupCache();
    const [slow, quick] = [cache.watch(Pod), cache.watch(Pod)];
    const seen: string[] = [];
    slow.addEventHandler(async ({ new: now }) => {
      seen.push(`slow begins ${now?.metadata.name}`);
      await clock.sleep(60_000);
      throw new Error("fails after some time");
    });
    quick.addEventHandler(({ new: now }) => void seen.push(`quick ${now?.metadata.name}`));
    await clock.settle();
    for (const name of ["a", "b"]) server.put("pods", pod(name));
    await clock.settle();
    expect(seen).toEqual(["slow begins a", "quick a", "slow begins b", "quick b"]);
    await clock.advance(60_000);
    expect(objectErrors).toHaveLength(2);
    expect(server.requests).toHaveLength(1);
  });

  test("RT-15 a blocked controller does not delay another one on the same kind", async () => {
    const done: string[] = [];
    const stuck = controller(Memcached, { name: "stuck", concurrency: 1, reconcile: () => new Promise<never>(() => {}) });
    const other = controller(Memcached, { name: "other", reconcile: ({ object }) => void done.push(object.metadata.name) });
    const { server, clock } = await setupManager([stuck, other], { grace: 0 });
    for (let i = 0; i < 50; i++) server.put("memcacheds", memcached(`m${i}`));
    await clock.settle();
    expect(done).toHaveLength(50);
    expect(server.requests.filter((line) => line.includes("memcacheds"))).toHaveLength(1);
  });

  test("RT-16 selectors are query parameters, and metadata-only views request metadata only", async () => {
    const { server, cache, clock } = setupCache({ namespaces: ["a", "b"] });
    const requests: string[] = [];
    server.intercept = ({ path, query, headers }) => {
      const { labelSelector = "", fieldSelector = "" } = query ?? {};
      requests.push([path, labelSelector, fieldSelector, /PartialObjectMetadata/.test(String(headers?.["accept"]))].join(" "));
      return undefined;
    };
    cache.watch(Pod, { labels: "app in (web, api), !old", fields: "spec.nodeName=n1" });
    cache.watch(metadataOnly(ConfigMap));
    cache.watch(Namespace);
    await clock.settle();
    expect(requests.sort()).toEqual([
      "/api/v1/namespaces   false",
      "/api/v1/namespaces/a/configmaps   true",
      "/api/v1/namespaces/a/pods app in (web,api),!old spec.nodeName=n1 false",
      "/api/v1/namespaces/b/configmaps   true",
      "/api/v1/namespaces/b/pods app in (web,api),!old spec.nodeName=n1 false",
    ]);
  });

  test("RT-17 dropping managedFields reduces the heap", async () => {
    const podWithManagedFields = (i: number) => ({
      managedFields: ["kubelet", "kube-controller-manager", "op"].map((manager) => ({
        manager,
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        time: "2026-01-01T00:00:00Z",
        fieldsV1: Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`f:field-${i}-${k}`, { "f:value": {} }])),
      })),
    });
    const heapOf = async (fields: (i: number) => object) => {
      const { cache, clock } = setupCache();
      const pods = cache.watch(Pod);
      await clock.settle();
      const before = heap();
      for (let i = 0; i < 2_000; i++) {
        const text = JSON.stringify(pod(`p${i}`, { uid: `u${i}`, resourceVersion: String(1000 + i), ...fields(i) }));
        cache.recordWrite(Pod, JSON.parse(text));
      }
      const used = heap() - before;
      expect(pods.list()).toHaveLength(2_000);
      await cache.stop();
      return used;
    };
    const bare = await heapOf(() => ({}));
    const stripped = await heapOf(podWithManagedFields);
    // A cache that retains them: the same fields under another name.
    const kept = await heapOf((i) => ({ annotations: podWithManagedFields(i) }));
    expect(stripped).toBeLessThan(bare * 1.2);
    expect(kept).toBeGreaterThan(stripped * 3);
  });

  test("RT-18 an index can be read for one namespace or for all", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    pods.addIndex("node", ({ spec }) => spec?.nodeName);
    await clock.settle();
    const on = (name: string, namespace: string, nodeName: string) =>
      server.put("pods", { ...pod(name, {}, namespace), spec: { nodeName } });
    on("a", "d", "n1");
    on("a", "e", "n1");
    on("b", "d", "n2");
    await clock.settle();
    expect(pods.byIndex("node", "n1")).toHaveLength(2);
    expect(pods.byIndex("node", "n1", { namespace: "e" }).map(({ metadata }) => metadata.namespace)).toEqual(["e"]);
    expect(pods.byIndex("node", "n2", { namespace: "e" })).toEqual([]);
    server.remove("pods", "e", "a");
    on("b", "d", "n1");
    await clock.settle();
    expect(names(pods.byIndex("node", "n1", { namespace: "d" }))).toEqual(["a", "b"]);
    expect(pods.byIndex("node", "n1", { namespace: "e" })).toEqual([]);
  });

  test("RT-19 predicates and map functions cannot change cached objects", async () => {
    const tampers: string[] = [];
    const tamper = (where: string, object: any) => {
      try {
        object.spec.size = 9;
      } catch (error) {
        tampers.push(`${where} ${(error as Error).name}`);
      }
    };
    const op = controller(Memcached, {
      when(_, now) {
        tamper("when", now);
        return true;
      },
      watches: {
        others: {
          kind: Memcached,
          by(seen) {
            tamper("by", seen);
            return [];
          },
        },
      },
      reconcile({ object, related }) {
        tamper("reconcile", object);
        for (const other of related.others) tamper("related", other);
      },
    });
    const { manager } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(manager.health()).toHaveLength(1);
    expect([...new Set(tampers)].sort()).toEqual(["by TypeError", "reconcile TypeError", "when TypeError"]);
  });

  test("RT-34 a late watch does not delay readers of other namespaces, selectors or kinds", async () => {
    const { server, cache, client, clock } = setupCache();
    const mine = cache.watch(Pod, { namespaces: ["d"], labels: { app: "mine" } });
    const theirs = cache.watch(Pod, { namespaces: ["e"] });
    const maps = cache.watch(ConfigMap);
    await clock.settle();
    server.holdEvents(true);
    const writer = createWriteThroughClient(client, cache);
    for (let i = 0; i < 100; i++)
      await writer.create(Pod, { metadata: { ...at(`p${i}`), labels: { app: "mine" } }, spec: { containers: [] } });
    const before = clock.monotonic();
    expect([mine.list().length, theirs.list().length, maps.list().length]).toEqual([100, 0, 0]);
    expect(clock.monotonic()).toBe(before);
    expect(cache.health().map(({ pendingWrites }) => pendingWrites)).toEqual([100, 0, 0]);
    server.holdEvents(false);
    await clock.settle();
    expect(cache.health().map(({ pendingWrites }) => pendingWrites)).toEqual([0, 0, 0]);
  });

  test("RT-34 deleteCollection and eviction become visible with their watch events", async () => {
    const { server, cache, client, clock } = setupCache();
    server.put("pods", pod("a"));
    const pods = cache.watch(Pod);
    await clock.settle();
    server.intercept = ({ method, path }) =>
      method === "DELETE" || path.endsWith("/eviction") ? { status: 200, body: { kind: "Status", status: "Success" } } : undefined;
    const writer = createWriteThroughClient(client, cache);
    await writer.deleteCollection(Pod, { namespace: "d" });
    await writer.evict(Pod, at("a"));
    expect(names(pods.list())).toEqual(["a"]);
    server.remove("pods", "d", "a");
    await clock.settle();
    expect(pods.list()).toEqual([]);
  });

  test("RT-36 typed, dynamic and metadata-only views of a kind share one informer", async () => {
    const { server, cache, clock } = setupCache();
    server.put("pods", pod("a"));
    const dynamic = defineUntypedKind({ group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" });
    const views = [cache.watch(Pod), cache.watch(dynamic), cache.watch(metadataOnly(Pod))] as const;
    await clock.settle();
    expect(server.requests).toHaveLength(1);
    expect(views[1].get(at("a"))).toBe(views[0].get(at("a")));
    expect(views[2].get(at("a"))).toBe(views[0].get(at("a")));
  });

  test("RT-38 watched namespaces can follow a label at run time", async () => {
    const { server, cache, clock } = setupCache();
    const namespace = (name: string, on: string) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { tenant: on } },
    });
    for (const name of ["a", "b", "c"]) {
      server.put("namespaces", namespace(name, name === "a" ? "yes" : "no"));
      server.put("pods", pod(`p-${name}`, {}, name));
    }
    const tenants = cache.watch(Namespace, { labels: { tenant: "yes" } });
    await tenants.waitForSync();
    const pods = cache.watch(Pod, { namespaces: names(tenants.list()) });
    tenants.addEventHandler(() => void pods.setNamespaces(names(tenants.list())));
    await clock.settle();
    expect(names(pods.list())).toEqual(["p-a"]);
    server.put("namespaces", namespace("c", "yes"));
    server.put("namespaces", namespace("a", "no"));
    await clock.settle();
    expect(names(pods.list())).toEqual(["p-c"]);
    expect(server.requests).not.toContain("GET /api/v1/pods?watch");
  });

  test("RT-38 controllers can be started and stopped on one cache, and a watch stops with its last user", async () => {
    const { server, cache, client, clock } = setupCache();
    const op = (name: string, kind: typeof Pod | typeof ConfigMap) =>
      controller(Memcached, { name, watches: { seen: { kind: kind as typeof Pod, by: "owner" } }, reconcile() {} });
    const begin = async (name: string, kind: typeof Pod | typeof ConfigMap) => {
      const manager = startManager({
        controllers: [op(name, kind)],
        client,
        cache,
        clock,
        random: seededRandom(1),
        logger: silentLogger,
      });
      await clock.settle();
      return manager;
    };
    const first = await begin("first", Pod);
    const second = await begin("second", ConfigMap);
    expect(server.watches).toBe(3);
    const [ending, over] = [first.stop(), clock.settle()];
    await Promise.all([ending, over]);
    expect(server.watches).toBe(2);
    await Promise.all([second.stop(), clock.settle()]);
    expect(server.watches).toBe(0);
    expect(() => cache.watch(Pod)).not.toThrow();
  });

  test("RT-53 resource versions beyond 2^53 keep their order", async () => {
    const { cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    const seen: string[] = [];
    pods.addEventHandler((change: ObjectChange<any>) => void seen.push(change.new?.metadata.resourceVersion));
    const version = (resourceVersion: string) => pod("a", { uid: "u", resourceVersion, creationTimestamp: "" });
    // As doubles, all of these are the same number.
    for (const each of ["9007199254740993", "9007199254740992", "9007199254740994", "9007199254740993", "10000000000000000000000"])
      cache.recordWrite(Pod, version(each));
    expect(seen).toEqual(["9007199254740993", "9007199254740994", "10000000000000000000000"]);
  });
});

test("RT-67 a deletion and a label change during an outage enqueue both owners after the reconnect", async () => {
  const op = controller(Memcached, {
    owns: [ConfigMap],
    watches: { pods: { kind: Pod, by: { label: "for" } } },
    reconcile: ({ object, related, want }) =>
      want({
        children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) },
        status: { nodes: related.pods.map((each) => each.metadata.name) },
      }),
  });
  const { server, clock } = await setupManager([op], {
    before(s) {
      for (const name of ["a", "b", "c"]) s.put("memcacheds", memcached(name));
      s.put("pods", pod("p", { labels: { for: "a" } }));
    },
  });
  const nodes = (name: string) => server.get("memcacheds", "d", name)!["status"].nodes;
  expect([nodes("a"), nodes("b")]).toEqual([["p"], []]);
  server.cut("blackhole");
  server.put("pods", pod("p", { labels: { for: "b" } }));
  server.remove("configmaps", "d", "c");
  server.compact();
  await clock.advance(90_000);
  expect([nodes("a"), nodes("b")]).toEqual([[], ["p"]]);
  expect(server.get("configmaps", "d", "c")).toBeDefined();
});

test("RT-65 during a start with 10,000 objects a new change is reconciled within a second, and all objects eventually", async () => {
  const done = new Map<string, number>();
  const clock = virtualClock();
  const op = controller(Memcached, {
    concurrency: 16,
    async reconcile({ object }) {
      await clock.sleep(10);
      done.set(`${object.metadata.name} ${object.metadata.generation}`, clock.monotonic());
    },
  });
  const { server } = await setupManager([op], {
    clock,
    before(s) {
      for (let i = 0; i < 10_000; i++) s.put("memcacheds", memcached(`m${i}`));
    },
  });
  await clock.advance(2_000);
  const edited = clock.monotonic();
  server.put("memcacheds", memcached("m9999", { size: 4 }));
  await clock.advance(1_000);
  expect(done.get("m9999 2")! - edited).toBeLessThan(1_000);
  expect(done.size).toBeLessThan(9_000);
  await clock.advance(10_000);
  expect(done.size).toBe(10_000);
}, 120_000);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
