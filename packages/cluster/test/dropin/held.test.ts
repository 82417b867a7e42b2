import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { JsonObject } from "pintle/kinds";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holder } from "../../src/dropin/etcd/holder.ts";
import { serve } from "../../src/dropin/etcd/serve.ts";
import { openStore } from "../../src/store/index.ts";
import { authority } from "../../src/tls/index.ts";

let server: Server;
let endpoint: string;
const sockets = new Set<Socket>();
beforeEach(async () => {
  sockets.clear();
  server = await serve(new URL("http://127.0.0.1:0"), holder(), undefined);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const opened = async (prefix?: string) => (await openStore({ etcd: { endpoints: [endpoint], prefix } })).store;
const object = (name: string, data: string): JsonObject => ({ metadata: { name }, data: { data } });

test("it says what it is, and that it is well", async () => {
  expect(await (await fetch(`${endpoint}/version`)).json()).toMatchObject({ etcdserver: expect.any(String), pintle: expect.any(String) });
  expect(await (await fetch(`${endpoint}/health`)).json()).toMatchObject({ health: "true" });
  expect((await fetch(`${endpoint}/v2/keys`)).status).toBe(404);
});

test("whoever comes back finds everything: values, revisions, what was deleted", async () => {
  const first = await opened();
  await first.txn("/registry/configmaps/a", 0, { put: object("a", "ä \n 漢 😀") });
  const made = await first.txn("/registry/configmaps/b", 0, { put: object("b", "1") });
  if (!made.ok) throw new Error("not stored");
  await first.txn("/registry/configmaps/b", made.entry.revision, { put: object("b", "2") });
  const doomed = await first.txn("/registry/configmaps/c", 0, { put: object("c", "") });
  if (!doomed.ok) throw new Error("not stored");
  await first.txn("/registry/configmaps/c", doomed.entry.revision, { delete: true });
  const { entries, revision } = await first.range("/registry/");
  await first.close();

  const second = await opened();
  expect(await second.range("/registry/")).toEqual({ entries, revision, remaining: 0 });
  expect(await second.txn("/registry/configmaps/a", 0, { put: object("a", "") })).toMatchObject({ ok: false });
  await second.close();
});

test("many commits at once arrive, in order", async () => {
  const first = await opened();
  const big = "x".repeat(10_000);
  await Promise.all(Array.from({ length: 300 }, (_, i) => first.txn(`/registry/pods/${i}`, 0, { put: object(String(i), big) })));
  await first.close();
  const second = await opened();
  expect((await second.range("/registry/pods/")).entries).toHaveLength(300);
  expect(second.currentRevision()).toBe(301);
  await second.close();
});

test("one works with the objects at a time; another prefix has others", async () => {
  const first = await opened();
  await first.txn("/registry/configmaps/a", 0, { put: object("a", "") });
  const other = await opened("/elsewhere");
  expect((await other.range("/registry/")).entries).toEqual([]);
  await other.close();
  const waiting = opened();
  await first.close();
  const second = await waiting;
  expect((await second.range("/registry/")).entries).toHaveLength(1);
  await second.close();
});

test("when it ends, writes are refused with what to do", async () => {
  const store = await opened();
  await store.txn("/registry/configmaps/a", 0, { put: object("a", "") });
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(() => store.txn("/registry/configmaps/b", 0, { put: object("b", "") }).then(String, String))
    .toContain("etcd has ended");
  expect((await store.range("/registry/")).entries.length).toBeGreaterThan(0);
  await store.close();
});

test("a client that speaks gRPC is told why it gets nothing", async () => {
  const session = connectHttp2(endpoint);
  const stream = session.request({ ":method": "POST", ":path": "/etcdserverpb.KV/Range", "content-type": "application/grpc" });
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  expect(headers["grpc-status"]).toBe("12");
  expect(decodeURIComponent(headers["grpc-message"] as string)).toContain("drop-in of @pintle/cluster");
  session.destroy();
});

test("over TLS, for clients with the right certificate", async () => {
  const ca = authority("etcd-ca", Date.now());
  const keys = ca.server({ commonName: "etcd" }, ["127.0.0.1"]);
  const secure = await serve(new URL("https://127.0.0.1:0"), holder(), {
    cert: keys.certificate,
    key: keys.key,
    clientAuthority: ca.certificate,
  });
  const endpoints = [`https://127.0.0.1:${(secure.address() as AddressInfo).port}`];
  const client = ca.client({ commonName: "kube-apiserver" });
  await expect(openStore({ etcd: { endpoints, ca: ca.certificate } })).rejects.toThrow("does not answer");
  const { store } = await openStore({ etcd: { endpoints, ca: ca.certificate, cert: client.certificate, key: client.key } });
  expect(await store.txn("/registry/configmaps/a", 0, { put: object("a", "") })).toMatchObject({ ok: true });
  await store.close();
  secure.close();
});
