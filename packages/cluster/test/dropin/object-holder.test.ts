import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { JsonObject } from "pintle/kinds";
import { createCertificateAuthority } from "pintle/tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEtcdServer } from "../../src/dropin/etcd/etcd-server.ts";
import { createObjectHolder } from "../../src/dropin/etcd/object-holder.ts";
import { openStore } from "../../src/store/index.ts";

let server: Server;
let endpoint: string;
const sockets = new Set<Socket>();
beforeEach(async () => {
  sockets.clear();
  server = await startEtcdServer(new URL("http://127.0.0.1:0"), createObjectHolder(), undefined);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const openTestStore = async (prefix?: string) => (await openStore({ etcd: { endpoints: [endpoint], prefix } })).store;
const object = (name: string, data: string): JsonObject => ({ metadata: { name }, data: { data } });

test("serves its version and health", async () => {
  expect(await (await fetch(`${endpoint}/version`)).json()).toMatchObject({ etcdserver: expect.any(String), pintle: expect.any(String) });
  expect(await (await fetch(`${endpoint}/health`)).json()).toMatchObject({ health: "true" });
  expect((await fetch(`${endpoint}/v2/keys`)).status).toBe(404);
});

test("returns values, revisions and deletions to a client that reconnects", async () => {
  const first = await openTestStore();
  await first.txn("/registry/configmaps/a", 0, { put: object("a", "ä \n 漢 😀") });
  const created = await first.txn("/registry/configmaps/b", 0, { put: object("b", "1") });
  if (!created.ok) throw new Error("not stored");
  await first.txn("/registry/configmaps/b", created.entry.revision, { put: object("b", "2") });
  const deleted = await first.txn("/registry/configmaps/c", 0, { put: object("c", "") });
  if (!deleted.ok) throw new Error("not stored");
  await first.txn("/registry/configmaps/c", deleted.entry.revision, { delete: true });
  const { entries, revision } = await first.range("/registry/");
  await first.close();

  const second = await openTestStore();
  expect(await second.range("/registry/")).toEqual({ entries, revision, remaining: 0 });
  expect(await second.txn("/registry/configmaps/a", 0, { put: object("a", "") })).toMatchObject({ ok: false });
  await second.close();
});

test("stores many concurrent commits in order", async () => {
  const first = await openTestStore();
  const big = "x".repeat(10_000);
  await Promise.all(Array.from({ length: 300 }, (_, i) => first.txn(`/registry/pods/${i}`, 0, { put: object(String(i), big) })));
  await first.close();
  const second = await openTestStore();
  expect((await second.range("/registry/pods/")).entries).toHaveLength(300);
  expect(second.currentRevision()).toBe(301);
  await second.close();
});

test("serves one client per prefix at a time", async () => {
  const first = await openTestStore();
  await first.txn("/registry/configmaps/a", 0, { put: object("a", "") });
  const other = await openTestStore("/elsewhere");
  expect((await other.range("/registry/")).entries).toEqual([]);
  await other.close();
  const waiting = openTestStore();
  await first.close();
  const second = await waiting;
  expect((await second.range("/registry/")).entries).toHaveLength(1);
  await second.close();
});

test("refuses writes with advice after etcd has ended", async () => {
  const store = await openTestStore();
  await store.txn("/registry/configmaps/a", 0, { put: object("a", "") });
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(() => store.txn("/registry/configmaps/b", 0, { put: object("b", "") }).then(String, String))
    .toContain("etcd has ended");
  expect((await store.range("/registry/")).entries.length).toBeGreaterThan(0);
  await store.close();
});

test("refuses a gRPC client with the reason", async () => {
  const session = connectHttp2(endpoint);
  const stream = session.request({ ":method": "POST", ":path": "/etcdserverpb.KV/Range", "content-type": "application/grpc" });
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  expect(headers["grpc-status"]).toBe("12");
  expect(decodeURIComponent(headers["grpc-message"] as string)).toContain("drop-in of @pintle/cluster");
  session.destroy();
});

test("requires a valid client certificate over TLS", async () => {
  const ca = createCertificateAuthority("etcd-ca", Date.now());
  const keys = ca.issueServerCertificate({ commonName: "etcd" }, ["127.0.0.1"]);
  const secure = await startEtcdServer(new URL("https://127.0.0.1:0"), createObjectHolder(), {
    cert: keys.certificate,
    key: keys.key,
    clientCa: ca.certificate,
  });
  const endpoints = [`https://127.0.0.1:${(secure.address() as AddressInfo).port}`];
  const client = ca.issueClientCertificate({ commonName: "kube-apiserver" });
  await expect(openStore({ etcd: { endpoints, ca: ca.certificate } })).rejects.toThrow("does not respond");
  const { store } = await openStore({ etcd: { endpoints, ca: ca.certificate, cert: client.certificate, key: client.key } });
  expect(await store.txn("/registry/configmaps/a", 0, { put: object("a", "") })).toMatchObject({ ok: true });
  await store.close();
  secure.close();
});
