import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { type Cluster, type ServerLimits, startCluster } from "../../src/index.ts";
import { CONFIG_MAPS } from "./hostile-request.ts";
import { type Credentials, readCredentials } from "./raw-client.ts";

async function start(limits: ServerLimits = {}): Promise<Cluster & { readonly credentials: Credentials }> {
  const cluster = await startCluster({ without: true, http: true, limits });
  return Object.assign(cluster, { credentials: readCredentials(cluster.kubeconfig) });
}

function openSession({ url, ca, cert, key }: Credentials, as: "admin" | "anonymous" = "admin"): ClientHttp2Session {
  const session = connectHttp2(url, as === "admin" ? { ca, cert, key } : { ca });
  session.on("error", () => {});
  return session;
}

async function openHttp1({ url, ca, cert, key }: Credentials): Promise<TLSSocket> {
  const socket = connect({ host: url.hostname, port: Number(url.port), ca, cert, key, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return socket;
}
const waitForClose = (emitter: ClientHttp2Session | TLSSocket) => new Promise<void>((resolve) => emitter.once("close", () => resolve()));

interface Response {
  readonly status: number;
  readonly text: string;
  /** Resolves when the stream is closed by both sides. */
  readonly end: Promise<void>;
}

/** Sends a request whose body is started and never ended. */
function sendUnfinished(session: ClientHttp2Session, headers: IncomingHttpHeaders, start = "{"): Promise<Response> {
  const stream = session.request({ ":method": "POST", ":path": CONFIG_MAPS, "content-type": "application/json", ...headers });
  stream.on("error", () => {});
  stream.write(start);
  const end = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  return new Promise((resolve) => {
    let text = "";
    let status = 0;
    stream.once("response", (got) => {
      status = Number(got[":status"]);
    });
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    stream.once("end", () => resolve({ status, text, end }));
  });
}

describe("a body", () => {
  const post = async (session: ClientHttp2Session, type: string, body: Buffer) => {
    const stream = session.request({ ":method": "POST", ":path": CONFIG_MAPS, "content-type": type });
    const response = new Promise<number>((resolve) => stream.once("response", (got) => resolve(Number(got[":status"]))));
    stream.resume().end(body);
    return response;
  };
  const data = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ""]));

  test("with more values than the server processes is refused with 413, as JSON, apply and protobuf", async () => {
    await using cluster = await start();
    const session = openSession(cluster.credentials);
    const body = (count: number) => Buffer.from(JSON.stringify({ metadata: { name: `m${count}` }, data: data(count) }));
    expect(await post(session, "application/json", body(70_000))).toBe(413);
    expect(await post(session, "application/yaml", body(70_000))).toBe(413);
    expect(await post(session, "application/json", body(60_000))).toBe(201);
    // An envelope around a ConfigMap with 70,000 empty entries of `data`.
    const typeMeta = Buffer.from([0x0a, 0x0f, 0x0a, 0x02, ...Buffer.from("v1"), 0x12, 0x09, ...Buffer.from("ConfigMap")]);
    const raw = Buffer.from(Array.from({ length: 70_000 }, () => [0x12, 0x00]).flat());
    const length = [(raw.length & 0x7f) | 0x80, ((raw.length >> 7) & 0x7f) | 0x80, raw.length >> 14];
    const protobuf = Buffer.concat([Buffer.from("k8s\0"), typeMeta, Buffer.from([0x12, ...length]), raw]);
    expect(await post(session, "application/vnd.kubernetes.protobuf", protobuf)).toBe(413);
    session.destroy();
  });

  test("that is large lets small requests run between the stages of its request", async () => {
    await using cluster = await start();
    const session = openSession(cluster.credentials);
    const get = () =>
      new Promise<void>((resolve) => {
        const stream = session.request({ ":path": "/version" });
        stream.resume().once("end", () => resolve());
      });
    await get();
    let isWritten = false;
    const written = post(session, "application/json", Buffer.from(JSON.stringify({ metadata: { name: "large" }, data: data(50_000) })));
    const done = written.then((status) => {
      isWritten = true;
      return status;
    });
    let served = 0;
    while (!isWritten) {
      await get();
      served++;
    }
    expect(await done).toBe(201);
    // One request per stage at least: without turns all but the reading of the body is one piece of work.
    expect(served).toBeGreaterThan(5);
    session.destroy();
  });

  test("is not waited for where the request is refused without it", async () => {
    await using cluster = await start();
    const anonymous = openSession(cluster.credentials, "anonymous");
    const admin = openSession(cluster.credentials);
    expect((await sendUnfinished(anonymous, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await sendUnfinished(anonymous, {})).status).toBe(403);
    expect((await sendUnfinished(admin, { ":path": "/apis/nowhere.example.com/v1/things" })).status).toBe(404);
    expect((await sendUnfinished(admin, { ":method": "PUT" })).status).toBe(405);
    anonymous.destroy();
    admin.destroy();
  });

  test("that does not end is answered with 504 after the request timeout", async () => {
    await using cluster = await start({ requestTimeout: 200 });
    const session = openSession(cluster.credentials);
    const { status, text } = await sendUnfinished(session, {});
    expect([status, text]).toEqual([
      504,
      '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
    ]);
    expect(cluster.journal.entries.at(-1)).toMatchObject({ verb: "create", resource: "configmaps", code: 504 });
    session.destroy();
  });

  test("that goes on after the response does not keep its stream open", async () => {
    await using cluster = await start();
    const session = openSession(cluster.credentials, "anonymous");
    const { status, end } = await sendUnfinished(session, {}, "x".repeat(60_000));
    expect(status).toBe(403);
    await end;
    session.destroy();
  }, 20_000);

  test("is read no further than the window of its stream before the request is authenticated", async () => {
    await using cluster = await start();
    const session = openSession(cluster.credentials);
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    expect(session.remoteSettings).toMatchObject({ initialWindowSize: 65_536, maxConcurrentStreams: 250, maxHeaderListSize: 1_048_576 });
    session.destroy();
  });
});

describe("a connection", () => {
  test("without requests is closed after the idle timeout, but not while it has a watch", async () => {
    await using cluster = await start({ idleTimeout: 2000 });
    const [idle, watching] = [openSession(cluster.credentials), openSession(cluster.credentials)];
    const [idleHttp1, watchingHttp1] = [await openHttp1(cluster.credentials), await openHttp1(cluster.credentials)];
    watchingHttp1.write(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    watchingHttp1.resume();
    const stream = watching.request({ ":path": `${CONFIG_MAPS}?watch=1` });
    stream.on("error", () => {}).resume();
    await new Promise((resolve) => stream.once("response", resolve));
    await Promise.all([waitForClose(idle), waitForClose(idleHttp1)]);
    // A second connection that idles from now on is closed later than the watches would have been.
    await waitForClose(openSession(cluster.credentials));
    expect([watching.destroyed, watchingHttp1.destroyed]).toEqual([false, false]);
    watching.destroy();
    watchingHttp1.destroy();
  });

  test("beyond the limit takes the place of the one that has been idle for the longest time", async () => {
    await using cluster = await start({ maxConnections: 2 });
    const [busy, idle] = [openSession(cluster.credentials), openSession(cluster.credentials)];
    const stream = busy.request({ ":path": `${CONFIG_MAPS}?watch=1` });
    stream.on("error", () => {}).resume();
    await Promise.all([
      new Promise((resolve) => stream.once("response", resolve)),
      new Promise((resolve) => idle.once("remoteSettings", resolve)),
    ]);
    const third = openSession(cluster.credentials);
    await waitForClose(idle);
    const ping = third.request({ ":path": "/version" }).resume();
    expect(await new Promise((resolve) => ping.once("response", (headers) => resolve(headers[":status"])))).toBe(200);
    expect(busy.destroyed).toBe(false);
    for (const session of [busy, third]) session.destroy();
  });

  test("whose client does not read a response loses the stream after the request timeout", async () => {
    await using cluster = await start({ requestTimeout: 300 });
    const data = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, "x".repeat(30_000)]));
    await cluster.transport.request({ method: "POST", path: CONFIG_MAPS, body: { metadata: { name: "long" }, data } });
    const session = openSession(cluster.credentials);
    const stream = session.request({ ":path": `${CONFIG_MAPS}/long`, "accept-encoding": "identity" });
    stream.on("error", () => {});
    // No listener for data: nothing is read beyond the client's window.
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.readableEnded).toBe(false);
    session.destroy();
  });
});

test("hundreds of long responses over one connection all arrive", async () => {
  await using cluster = await start();
  const data = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, "x".repeat(30_000)]));
  await cluster.transport.request({ method: "POST", path: CONFIG_MAPS, body: { metadata: { name: "long" }, data } });
  const session = openSession(cluster.credentials);
  const lengths = await Promise.all(
    Array.from({ length: 200 }, () => {
      const stream = session.request({ ":path": `${CONFIG_MAPS}/long`, "accept-encoding": "identity" });
      return new Promise<number | string>((resolve) => {
        let length = 0;
        stream.on("data", (chunk: Buffer) => {
          length += chunk.length;
        });
        stream.once("end", () => resolve(length));
        stream.once("error", (error) => resolve(error.message));
      });
    }),
  );
  expect(new Set(lengths).size).toBe(1);
  expect(lengths[0]).toBeGreaterThan(900_000);
  session.destroy();
}, 60_000);
