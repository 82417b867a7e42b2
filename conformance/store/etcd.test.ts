import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { type Random, seededRandom } from "pintle/internal/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CompactedError,
  createMemoryStore,
  type EtcdStore,
  type ObjectStore,
  openEtcdStore,
  type StoreChange,
  StoreError,
  type StoreEvent,
} from "../../packages/cluster/src/store/index.ts";
import { createHttpsRequester } from "../../packages/cluster/test/store/https-requester.ts";
import { seed } from "../sampling.ts";
import { startClusterProcess } from "./cluster-process.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { startInterruptibleProxy } from "./interruptible-proxy.ts";

let etcd: Etcd;
let next = 0;
const opened: EtcdStore[] = [];
beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(async () => {
  for (const each of opened) await each.close();
  await etcd[Symbol.asyncDispose]();
});

/** Opens a store under a new prefix, or under the prefix of another store. */
async function openStore(prefix = `/registry-${next++}`): Promise<EtcdStore & { readonly prefix: string }> {
  const store = await openEtcdStore({ endpoints: [etcd.endpoint], prefix });
  opened.push(store);
  return { ...store, prefix };
}
const object = (name: string, data: unknown = 1) => ({ put: { kind: "Thing", metadata: { name }, data } }) as StoreChange;
const dataOf = async (store: ObjectStore, key: string) => (await store.get(key))?.value["data"];

test("commits use etcd's revisions, and stored objects are loaded after a restart", async () => {
  const store = await openStore();
  const created = await store.txn("/registry/things/a", 0, object("a", [9007199254740993n, "ü"]));
  if (!created.ok) throw new Error("refused");
  expect(etcd.etcdctl("get", `${store.prefix}/things/a`, "--print-value-only")).toBe(
    '{"kind":"Thing","metadata":{"name":"a"},"data":[9007199254740993,"ü"]}\n',
  );
  const { kvs } = JSON.parse(etcd.etcdctl("get", `${store.prefix}/things/a`, "-w", "json"));
  expect(created.entry.revision).toBe(kvs[0].mod_revision);
  const again = await openStore(store.prefix);
  expect((await again.range("/registry/")).entries).toEqual([created.entry]);
  expect(Object.isFrozen((await again.get("/registry/things/a"))?.value["data"])).toBe(true);
});

test("two servers on one etcd see each other's writes, and one of two conflicting writes wins", async () => {
  const one = await openStore();
  const two = await openStore(one.prefix);
  const seen: StoreEvent[] = [];
  await two.watch("/registry/things/", two.currentRevision(), (event) => seen.push(event));
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : two).txn(`/registry/things/n${i >> 1}`, 0, object(`n${i >> 1}`, i))),
  );
  expect(results.filter(({ ok }) => ok)).toHaveLength(20);
  await Promise.all([one.waitUntilFresh?.(), two.waitUntilFresh?.()]);
  const ranges = await Promise.all([one, two].map((each) => each.range("/registry/things/")));
  expect(ranges[0]?.entries).toEqual(ranges[1]?.entries);
  expect(seen.map(({ revision }) => revision)).toEqual(
    results.flatMap((each) => (each.ok ? [each.entry.revision] : [])).sort((a, b) => a - b),
  );
});

test("fresh() sees the latest write of another client, made in any way", async () => {
  const store = await openStore();
  for (let i = 0; i < 20; i++) {
    etcd.etcdctl("put", `${store.prefix}/things/a`, JSON.stringify({ metadata: { name: "a" }, data: i }));
    // Under another prefix, so that the watch does not report the last revision.
    if (i % 2 === 0) etcd.etcdctl("put", "/elsewhere", "x");
    await store.waitUntilFresh?.();
    expect(await dataOf(store, "/registry/things/a")).toBe(i);
  }
});

test("a transaction of another client that changes several keys is one revision", async () => {
  const store = await openStore();
  const seen: string[] = [];
  const after = store.currentRevision();
  etcd.putAll({ [`${store.prefix}/things/a`]: '{"metadata":{}}', [`${store.prefix}/things/b`]: '{"metadata":{}}' });
  await store.waitUntilFresh?.();
  await store.watch("/registry/", after, ({ key, revision }) => seen.push(`${key} ${revision - after}`));
  expect(seen).toEqual([`/registry/things/a ${store.currentRevision() - after}`, `/registry/things/b ${store.currentRevision() - after}`]);
});

test("a watch from a compacted revision fails with the compaction error", async () => {
  const store = await openStore();
  for (let i = 0; i < 5; i++) await store.txn(`/registry/things/n${i}`, 0, object(`n${i}`));
  const revision = store.currentRevision();
  await store.compact(revision - 1);
  await expect(store.watch("/registry/", revision - 3, () => {})).rejects.toThrow(CompactedError);
  await store.watch("/registry/", revision - 1, () => {});
  // etcd has compacted as well: a new server has no history at all.
  expect(() => etcd.etcdctl("get", `${store.prefix}/things/n0`, `--rev=${revision - 3}`)).toThrow(/compacted/);
  const again = await openStore(store.prefix);
  await expect(again.watch("/registry/", revision - 1, () => {})).rejects.toThrow(CompactedError);
});

describe("data of other programs", () => {
  test.each([
    ["k8s\\x00\\x0a\\x09", /holds protobuf, as a kube-apiserver stores it/],
    ["k8s:enc:aescbc:v1:key1:xyz", /holds data that a kube-apiserver encrypted/],
    ['{"kind":"Pod","metadata":{"name":"a"}}', /holds 1 keys under .* that were not written by Pintle/],
    ["hello", /holds a value that is not JSON/],
  ])("%j is rejected at the start, and stays unchanged", async (value, refusal) => {
    const prefix = `/registry-${next++}`;
    const bytes = value.replace(/\\x(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    etcd.put(`${prefix}/pods/default/a`, bytes);
    const before = etcd.etcdctl("get", `${prefix}/`, "--prefix", "-w", "json");
    await expect(openStore(prefix)).rejects.toThrow(refusal);
    await expect(openStore(prefix)).rejects.toThrow(StoreError);
    expect(JSON.parse(etcd.etcdctl("get", `${prefix}/`, "--prefix", "-w", "json")).kvs).toEqual(JSON.parse(before).kvs);
    expect(etcd.keys(`/pintle${prefix}`)).toEqual([]);
  });

  test("that appear later are not read, not listed and not overwritten; other keys work", async () => {
    const store = await openStore();
    const key = "/registry/things/a";
    const created = await store.txn(key, 0, object("a"));
    etcd.put(`${store.prefix}/things/a`, "k8s\0\n\t");
    await store.waitUntilFresh?.();
    await expect(store.get(key)).rejects.toThrow(/things\/a in etcd holds protobuf/);
    await expect(store.range("/registry/things/")).rejects.toThrow(/things\/a in etcd holds protobuf/);
    for (const expect_ of [0, created.ok ? created.entry.revision : 0])
      await expect(store.txn(key, expect_, object("a", 2))).rejects.toThrow(StoreError);
    expect(etcd.etcdctl("get", `${store.prefix}/things/a`, "--print-value-only").slice(0, 3)).toBe("k8s");
    expect(await store.txn("/registry/other/b", 0, object("b"))).toMatchObject({ ok: true });
    expect((await store.range("/registry/other/")).entries).toHaveLength(1);
    etcd.etcdctl("del", `${store.prefix}/things/a`);
    await store.waitUntilFresh?.();
    expect(await store.txn(key, 0, object("a", 3))).toMatchObject({ ok: true });
    expect(await dataOf(store, key)).toBe(3);
  });
});

test("keys with a TTL have a lease", async () => {
  const store = await openEtcdStore({
    endpoints: [etcd.endpoint],
    prefix: `/registry-${next++}`,
    getTtlSeconds: (key) => (key.includes("events") ? 3600 : undefined),
  });
  opened.push(store);
  const prefix = `/registry-${next - 1}`;
  for (const key of ["events/a", "events/b", "things/c"]) await store.txn(`/registry/${key}`, 0, object(key));
  const leases = ["events/a", "events/b", "things/c"].map((key) => {
    const [found] = JSON.parse(etcd.etcdctl("get", `${prefix}/${key}`, "-w", "json")).kvs;
    return found.lease as number | undefined;
  });
  expect(leases[0]).toBeGreaterThan(0);
  expect(leases[1]).toBe(leases[0]);
  expect(leases[2]).toBeUndefined();
  const seen: StoreEvent[] = [];
  await store.watch("/registry/events/", store.currentRevision(), (event) => seen.push(event));
  etcd.etcdctl("lease", "revoke", leaseName(etcd));
  await store.waitUntilFresh?.();
  expect(seen.map(({ type, key }) => `${type} ${key}`).sort()).toEqual(["delete /registry/events/a", "delete /registry/events/b"]);
});

const leaseName = (of: Etcd) => of.etcdctl("lease", "list").trim().split("\n").at(-1) as string;

/** Runs the same random operations on a store in memory: results must be equal except for revisions. */
test("random operations return the same results as the in-memory store", async () => {
  const store = await openStore();
  const model = createMemoryStore();
  const random = seededRandom(seed);
  const events: string[][] = [[], []];
  for (const [index, each] of [store, model].entries()) {
    await each.watch("/registry/", each.currentRevision(), (event) =>
      events[index]?.push(`${event.type} ${event.key} ${JSON.stringify(event.value["data"])}`),
    );
  }
  for (let i = 0; i < 600; i++) {
    const [ours, theirs] = await runOperation([store, model], random);
    expect(ours).toEqual(theirs);
  }
  expect(events[0]).toEqual(events[1]);
});

async function runOperation(stores: readonly ObjectStore[], random: Random): Promise<unknown[]> {
  const name = `n${Math.floor(random() * 12)}`;
  const key = `/registry/things/${name}`;
  const [kind, off, data, limit] = [random(), random() < 0.15 ? 1 : 0, Math.floor(random() * 1000), 1 + Math.floor(random() * 5)];
  return Promise.all(
    stores.map(async (store) => {
      const revision = (await store.get(key))?.revision ?? 0;
      if (kind < 0.2) {
        const { entries, remaining } = await store.range("/registry/things/", { limit, fromKey: key });
        return [entries.map((entry) => [entry.key, entry.value["data"]]), remaining];
      }
      const result = await store.txn(key, revision + off, kind < 0.45 ? { delete: true } : object(name, data));
      const entry = result.ok ? result.entry : result.current;
      return [result.ok, entry?.key, entry?.value["data"], (await store.get(key))?.value["data"]];
    }),
  );
}

test("connects to etcd with client certificates", async () => {
  await using secure = await startEtcd({ tls: true });
  const { credentials, endpoint } = secure;
  if (credentials === undefined) throw new Error("no certificates");
  await expect(openEtcdStore({ endpoints: [endpoint] })).rejects.toThrow(/certificate/);
  await expect(openEtcdStore({ endpoints: [endpoint], ca: credentials.ca })).rejects.toThrow(StoreError);
  const store = await openEtcdStore({ endpoints: [endpoint], ...credentials });
  expect(await store.txn("/registry/things/a", 0, object("a"))).toMatchObject({ ok: true });
  expect(secure.keys("/")).toEqual(["/pintle/registry/mark", "/registry/things/a"]);
  await store.close();
});

test("pintle cluster up connects to an etcd with certificates", async () => {
  await using secure = await startEtcd({ tls: true });
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-etcd-up-"));
  const { cacert, cert, key } = secure.files;
  const flags = ["--etcd-servers", secure.endpoint, "--etcd-cafile", cacert, "--etcd-certfile", cert, "--etcd-keyfile", key];
  try {
    await using server = await startClusterProcess(folder, [...flags, "--etcd-prefix", "/dev"]);
    expect(await createHttpsRequester(server.kubeconfig)("GET", "/api/v1/namespaces/default")).toMatchObject({ status: 200 });
    expect(secure.keys("/dev/namespaces/")).toContain("/dev/namespaces/default");
    expect(secure.keys("/pintle/")).toEqual(["/pintle/dev/keys", "/pintle/dev/mark"]);
    expect(await server.interrupt()).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("while etcd is down commits fail; after its restart nothing is lost and watches continue", async () => {
  await using other = await startEtcd();
  const store = await openEtcdStore({ endpoints: ["http://127.0.0.1:1", other.endpoint] });
  const seen: number[] = [];
  await store.watch("/registry/", store.currentRevision(), ({ revision }) => seen.push(revision));
  await store.txn("/registry/things/a", 0, object("a"));
  await other.kill();
  await expect(store.txn("/registry/things/b", 0, object("b"))).rejects.toThrow(/^etcd at http:.*: .*(ECONNREFUSED|closed)/);
  await expect(store.waitUntilFresh?.()).rejects.toThrow(StoreError);
  expect(await dataOf(store, "/registry/things/a")).toBe(1);
  await other.start();
  other.etcdctl("put", "/registry/things/c", '{"metadata":{"name":"c"},"data":3}');
  await waitUntil(async () => {
    await store.waitUntilFresh?.();
    return true;
  });
  expect(await dataOf(store, "/registry/things/c")).toBe(3);
  const created = await store.txn("/registry/things/d", 0, object("d"));
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(created.ok && seen.at(-1) === created.entry.revision).toBe(true);
  await store.close();
});

test("after a compaction during a disconnect, differences are emitted as events and older watches are rejected", async () => {
  await using other = await startEtcd();
  await using line = await startInterruptibleProxy(other.endpoint);
  const store = await openEtcdStore({ endpoints: [line.endpoint] });
  for (const name of ["a", "b", "c"]) await store.txn(`/registry/things/${name}`, 0, object(name));
  const before = store.currentRevision();
  const seen: string[] = [];
  await store.watch("/registry/", before, ({ type, key }) => seen.push(`${type} ${key}`));
  line.interrupt();
  other.etcdctl("del", "/registry/things/a");
  other.put("/registry/things/b", '{"metadata":{"name":"b"},"data":2}');
  other.put("/registry/things/d", '{"metadata":{"name":"d"},"data":4}');
  const { header } = JSON.parse(other.etcdctl("get", "/registry/", "-w", "json"));
  other.etcdctl("compact", String(header.revision));
  expect(seen).toEqual([]);
  line.mend();
  await waitUntil(async () => {
    await store.waitUntilFresh?.();
    return store.currentRevision() >= header.revision;
  });
  expect(seen.sort()).toEqual(["delete /registry/things/a", "put /registry/things/b", "put /registry/things/d"]);
  await expect(store.watch("/registry/", before, () => {})).rejects.toThrow(CompactedError);
  expect((await store.range("/registry/")).entries.map(({ key, value }) => [key, value["data"]])).toEqual([
    ["/registry/things/b", 2],
    ["/registry/things/c", 1],
    ["/registry/things/d", 4],
  ]);
  await store.close();
});

test("a cluster reports that its etcd is unreachable, and recovers when it is back", async () => {
  await using other = await startEtcd();
  await using line = await startInterruptibleProxy(other.endpoint);
  const cluster = await startCluster({ store: { etcd: { endpoints: [line.endpoint] } }, http: true, without: true });
  try {
    const ask = createHttpsRequester(cluster.kubeconfig);
    const configMaps = "/api/v1/namespaces/default/configmaps";
    expect(await ask("POST", configMaps, { metadata: { name: "a" } })).toMatchObject({ status: 201 });
    line.interrupt();
    const away = {
      status: 500,
      body: { kind: "Status", reason: "InternalError", message: expect.stringMatching(/etcd at http.*127\.0\.0\.1/) },
    };
    expect(await ask("POST", configMaps, { metadata: { name: "b" } })).toMatchObject(away);
    expect(await ask("GET", `${configMaps}/a`)).toMatchObject(away);
    expect(await ask("GET", configMaps)).toMatchObject(away);
    expect(await ask("DELETE", `${configMaps}/a`)).toMatchObject(away);
    // A read that accepts the watch cache is still served.
    expect(await ask("GET", `${configMaps}?resourceVersion=0`)).toMatchObject({
      status: 200,
      body: { items: [{ metadata: { name: "a" } }] },
    });
    line.mend();
    await waitUntil(async () => (await ask("GET", configMaps)).status === 200);
    expect(await ask("POST", configMaps, { metadata: { name: "b" } })).toMatchObject({ status: 201 });
    expect(other.keys("/registry/configmaps/default/")).toEqual(["/registry/configmaps/default/a", "/registry/configmaps/default/b"]);
  } finally {
    await cluster.stop();
  }
});

test("two clusters on one etcd share objects, tokens and certificate authority", async () => {
  await using other = await startEtcd();
  const start = () => startCluster({ store: { etcd: { endpoints: [other.endpoint] } }, http: true, without: true });
  const [one, two] = [await start(), await start()];
  try {
    const [first, second] = [createHttpsRequester(one.kubeconfig), createHttpsRequester(two.kubeconfig)];
    const crd = {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    };
    await first("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    await waitUntil(async () => (await second("GET", "/apis/example.com/v1/widgets")).status === 200);
    await first("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const { body } = await first("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", { spec: {} });
    const me = await createHttpsRequester(two.kubeconfig, body.status.token)(
      "POST",
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
    );
    expect(me.body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
    for (let i = 0; i < 10; i++) {
      const created = await first("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: `n${i}` } });
      expect((await second("GET", `/api/v1/namespaces/default/configmaps/n${i}`)).body).toEqual(created.body);
    }
  } finally {
    await one.stop();
    await two.stop();
  }
});

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  for (;;) {
    try {
      if (await done()) return;
    } catch {}
    await delay(50);
  }
}
