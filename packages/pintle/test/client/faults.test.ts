import { connect as connectTcp, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ConnectionError, connect, createTransport, type RequestError, ServerError, Timeout } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { type Handler, sendJson, type TestServer, testServer } from "./server.ts";

const TIMEOUT = 1000;
/** Sleeping takes no time, so that retries do not. */
const clock = { now: Date.now, sleep: async () => {} };
const clientOf = (server: TestServer) => connect({ access: server.access, timeout: TIMEOUT, clock });
const body = { metadata: ref, data: { a: "b" } };

async function errorOf(promise: Promise<unknown>): Promise<any> {
  return await promise.then(
    (value) => expect.unreachable(`it worked: ${JSON.stringify(value)}`),
    (error) => error,
  );
}

describe("an unreachable server", () => {
  it("causes a ConnectionError after several attempts", async () => {
    const slept: number[] = [];
    await using server = await testServer(() => {});
    const access = server.access;
    await server[Symbol.asyncDispose]();
    const client = await connect({ access, clock: { now: Date.now, sleep: async (ms) => void slept.push(ms) } });
    const error = await errorOf(client.create(ConfigMap, body));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      `${access.server} refused the connection: is the API server running there? (POST /api/v1/namespaces/default/configmaps)`,
    );
    expect(error.mayHaveReachedServer).toBe(false);
    expect(slept).toHaveLength(4);
    await client.close();
  });

  it("that accepts connections without a TLS handshake is detected by the connect timeout", async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    const client = await connect({ access: { server: `https://127.0.0.1:${port}` }, timeout: 300, clock });
    const error = await errorOf(client.get(ConfigMap, ref));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/did not accept the connection in time/);
    await client.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});

describe("a server that closes the connection", () => {
  /** Fails the first `times` requests in a way, then behaves. */
  const flaky = (times: number, break_: Handler): Handler => {
    let seen = 0;
    return (request, response, text) => (seen++ < times ? break_(request, response, text) : sendJson(response, configMap("a")));
  };
  const hangUp: Handler = (request) => request.socket.destroy();

  it("before it responds gets an idempotent request again", async () => {
    await using server = await testServer(flaky(2, hangUp));
    const client = await clientOf(server);
    expect(await client.get(ConfigMap, ref)).toMatchObject({ kind: "ConfigMap" });
    expect(server.requests).toHaveLength(3);
    await client.close();
  });

  it("before it responds does not get a create again", async () => {
    await using server = await testServer(flaky(1, hangUp));
    const client = await clientOf(server);
    const error = await errorOf(client.create(ConfigMap, body));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.mayHaveReachedServer).toBe(true);
    expect(error.message).toMatch(/closed the connection before it responded/);
    expect(server.requests).toHaveLength(1);
    await client.close();
  });

  it.each<[string, Handler]>([
    [
      "with a length that it does not keep",
      (request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 1000 }).write('{"kind":"ConfigMap"');
        setImmediate(() => request.socket.destroy());
      },
    ],
    [
      "in the middle of a chunk",
      (request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write('{"kind":"ConfigMap"');
        setImmediate(() => request.socket.destroy());
      },
    ],
    [
      "and then stops sending",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write('{"kind":"ConfigMap"');
      },
    ],
  ])("in the middle of an object, %s, causes an error instead of a partial object", async (_, handler) => {
    await using server = await testServer(handler);
    const client = await clientOf(server);
    const error = await errorOf(client.get(ConfigMap, ref));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/in the middle of its response/);
    await client.close();
  });

  it("in the middle of a write fails the write", async () => {
    await using server = await testServer(() => {});
    const client = await clientOf(server);
    const big = { metadata: ref, data: { big: "x".repeat(8 * 1024 * 1024) } };
    const written = errorOf(client.create(ConfigMap, big));
    while (server.connections === 0) await new Promise(setImmediate);
    server.cut();
    expect(await written).toBeInstanceOf(ConnectionError);
    await client.close();
  });

  it("in the middle of a watch fails the watch after its last event", async () => {
    const event = (name: string) => `${JSON.stringify({ type: "ADDED", object: configMap(name) })}\n`;
    await using server = await testServer((request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write(event("a") + event("b") + event("c").slice(0, 30));
      setImmediate(() => request.socket.destroy());
    });
    const client = await clientOf(server);
    const seen: string[] = [];
    const error = await errorOf(
      (async () => {
        for await (const one of client.watch(ConfigMap)) if (one.type !== "BOOKMARK") seen.push(one.object.metadata.name);
      })(),
    );
    expect(seen).toEqual(["a", "b"]);
    expect(error).toBeInstanceOf(ConnectionError);
    await client.close();
  });

  it("in the middle of a paged list fails that page only", async () => {
    await using server = await testServer((request, response) => {
      if (request.url?.includes("continue=")) request.socket.destroy();
      else sendJson(response, { metadata: { resourceVersion: "1", continue: "more" }, items: [configMap("a")] });
    });
    const client = await clientOf(server);
    const pages = client.listPages(ConfigMap, { pageSize: 1 });
    expect((await pages.next()).value).toMatchObject({ items: [{ kind: "ConfigMap" }] });
    expect(await errorOf(pages.next())).toBeInstanceOf(ConnectionError);
    await client.close();
  });
});

describe("a silent server", () => {
  it("causes a Timeout", async () => {
    await using server = await testServer(() => {});
    const client = await clientOf(server);
    const started = performance.now();
    const error = await errorOf(client.get(ConfigMap, ref));
    expect(error).toBeInstanceOf(Timeout);
    expect(error.message).toMatch(/accepted the request but did not respond in time/);
    expect(performance.now() - started).toBeLessThan(10 * TIMEOUT);
    await client.close();
  });

  it("fails a watch after its idle timeout", async () => {
    await using server = await testServer((_, response) => void response.writeHead(200).write("\n"));
    const transport = await createTransport(server.access);
    const response = await transport.request({ method: "GET", path: "/", stream: { idleTimeout: 300 } });
    const error = await errorOf(
      (async () => {
        for await (const _ of response.lines());
      })(),
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/stopped sending in the middle of its response/);
    await transport.close();
  });
});

it("a response that is not JSON is a ServerError with an excerpt", async () => {
  await using server = await testServer((_, response) => void response.writeHead(200).end("<html>Please log in</html>"));
  const client = await clientOf(server);
  const error = await errorOf(client.get(ConfigMap, ref));
  expect(error).toBeInstanceOf(ServerError);
  expect(error.message).toContain('responded with something other than JSON: "<html>Please log in</html>"');
  await client.close();
});

it("a connection that drops after any number of bytes yields a complete response or an error, and never hangs", async () => {
  const list = { metadata: { resourceVersion: "1" }, items: Array.from({ length: 20 }, (_, i) => configMap(`c${i}`)) };
  await using server = await testServer((_, response) => sendJson(response, list));
  let allowed = 0;
  const dropping = createServer((near) => {
    const far = connectTcp(server.port, "127.0.0.1");
    let passed = 0;
    far.on("data", (chunk) => {
      near.write(chunk.subarray(0, Math.max(0, allowed - passed)));
      passed += chunk.length;
      if (passed >= allowed) near.destroySoon();
    });
    near.pipe(far);
    for (const socket of [near, far]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => dropping.listen(0, "127.0.0.1", resolve));
  const { port } = dropping.address() as { port: number };
  const outcomes = { whole: 0, failed: 0 };
  for (allowed = 1; allowed < 9000; allowed += 211) {
    const client = await connect({ access: { ...server.access, server: `https://127.0.0.1:${port}` }, timeout: 5000, clock });
    try {
      expect((await client.list(ConfigMap)).items).toHaveLength(20);
      outcomes.whole++;
    } catch (error) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect((error as RequestError).request).toBe("GET /api/v1/configmaps");
      outcomes.failed++;
    }
    await client.close();
  }
  expect(outcomes.whole).toBeGreaterThan(0);
  expect(outcomes.failed).toBeGreaterThan(10);
  dropping.close();
});
