import { request } from "node:http";
import { connect } from "node:net";
import { startCluster } from "@pintle/cluster";
import { startManager } from "pintle";
import { createClient } from "pintle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlServer } from "./control-server.ts";
import { startRegistryServer } from "./registry-server.ts";

/** Every listener without TLS that is not the drop-in etcd: the port, and a request that it accepts. */
interface PlainListener {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}
const LISTENERS: readonly PlainListener[] = [
  { name: "the plain API server", path: "/api/v1/namespaces", status: 200 },
  { name: "the registry", path: "/v2/", status: 200 },
  { name: "the control server", path: "/ping", method: "POST", status: 401 },
  { name: "the health endpoint", path: "/healthz", status: 200 },
  { name: "the metrics endpoint", path: "/metrics", status: 200 },
];

const ports = new Map<string, number>();
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  const cluster = await startCluster({ without: true, plainHttp: true });
  const registry = await startRegistryServer();
  const control = await startControlServer();
  const manager = startManager({
    controllers: [],
    client: createClient(cluster.transport),
    health: "127.0.0.1:0",
    metrics: "127.0.0.1:0",
    logger: { debug() {}, info() {}, warn() {}, error() {} } as never,
  });
  await manager.ready;
  closers.push(
    () => manager.stop(),
    () => control[Symbol.asyncDispose](),
    () => registry[Symbol.asyncDispose](),
    () => cluster.stop(),
  );
  const addresses = [cluster.plainUrl, `http://${registry.host}`, control.address];
  const all = [...addresses.map((address) => Number(new URL(address).port)), manager.ports.health!, manager.ports.metrics!];
  for (const [i, { name }] of LISTENERS.entries()) ports.set(name, all[i]!);
});
afterAll(async () => {
  for (const close of closers) await close();
});

interface Reply {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
function send(
  port: number,
  { path, method = "GET" }: PlainListener,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, body: text, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe.each(LISTENERS)("$name", (listener) => {
  const port = () => ports.get(listener.name)!;

  test("answers programs of this machine, without CORS headers", async () => {
    for (const host of [`127.0.0.1:${port()}`, `localhost:${port()}`, "[::1]:1"]) {
      const reply = await send(port(), listener, { host });
      expect(reply.status).toBe(listener.status);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    const own = `127.0.0.1:${port()}`;
    expect((await send(port(), listener, { host: own, origin: `http://${own}`, "sec-fetch-site": "same-origin" })).status).toBe(
      listener.status,
    );
  });

  test("refuses a page whose name was rebound to this machine", async () => {
    for (const host of ["evil.com", `127.0.0.1.evil.com:${port()}`, "localhost.evil.com"])
      expect(await send(port(), listener, { host })).toMatchObject({ status: 403, body: expect.stringContaining("is not this machine") });
  });

  test("refuses a page of another origin, also of this machine", async () => {
    for (const origin of ["https://evil.com", "null", "http://127.0.0.1:1", "http://localhost"])
      expect((await send(port(), listener, { origin })).status).toBe(403);
    for (const site of ["cross-site", "same-site"]) expect((await send(port(), listener, { "sec-fetch-site": site })).status).toBe(403);
  });

  test("refuses a body without a content type", async () => {
    const reply = await send(port(), { ...listener, method: "POST" }, { "content-length": "2" }, "{}");
    expect(reply.status).toBe(415);
  });

  test("refuses two Host headers", async () => {
    const socket = connect(port(), "127.0.0.1");
    socket.end(`GET ${listener.path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\nConnection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test("the plain API server refuses a WebSocket of another origin", async () => {
  const socket = connect(ports.get("the plain API server")!, "127.0.0.1");
  const lines = [
    "GET /api/v1/namespaces?watch=true HTTP/1.1",
    `Host: 127.0.0.1:${ports.get("the plain API server")}`,
    "Origin: http://evil.com",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 403 /);
  expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403 });
});

test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
  "the plain API server creates nothing from a body of the content type %s",
  async (type) => {
    const listener = { name: "", path: "/api/v1/namespaces", method: "POST", status: 0 };
    const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "made-by-a-page" } });
    expect((await send(ports.get("the plain API server")!, listener, { "content-type": type }, body)).status).toBe(415);
  },
);
