import { connect as connectHttp2, constants } from "node:http2";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { authority } from "../../src/tls/index.ts";
import { CONFIG_MAPS } from "./attack.ts";
import { type Credentials, credentialsOf, type Exchange, exchange } from "./exchange.ts";

const MiB = 1024 * 1024;
let cluster: Cluster;
let credentials: Credentials;
let asked: Exchange;
beforeAll(async () => {
  cluster = await startCluster({ without: true, http: true });
  credentials = credentialsOf(cluster.kubeconfig);
  asked = exchange(credentials);
});
afterAll(async () => {
  asked.close();
  await cluster.stop();
});
const isAlive = async () => (await asked.json("GET", "/version")).gitVersion !== undefined;

/** A TLS connection to write bytes on. */
async function raw(protocol: string): Promise<TLSSocket> {
  const { url, ca, cert, key } = credentials;
  const socket = connect({ host: url.hostname, port: Number(url.port), ca, cert, key, ALPNProtocols: [protocol] });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return socket;
}
const closed = (socket: TLSSocket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

describe("bodies without an end", () => {
  test("are refused while they come, chunk by chunk", async () => {
    const { url, ca, cert, key } = credentials;
    const sent = request({ host: url.hostname, port: url.port, ca, cert, key, agent: false, method: "POST", path: CONFIG_MAPS });
    sent.on("error", () => {});
    sent.setHeader("content-type", "application/json");
    const answer = new Promise<{ code: number; body: string }>((resolve) => {
      sent.once("response", (response) => {
        void text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }));
      });
    });
    // Never ended: whoever waits for the end waits for ever.
    for (let n = 0; n < 4; n++) sent.write(Buffer.alloc(MiB, " "));
    const { code, body } = await answer;
    expect([code, JSON.parse(body)]).toEqual([
      413,
      expect.objectContaining({ reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728" }),
    ]);
    sent.destroy();
  });

  test("end the connection when they do not stop", async () => {
    const socket = await raw("http/1.1");
    const gone = closed(socket);
    socket.write(`POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const pour = () => {
      while (!socket.destroyed && socket.write(`100000\r\n${" ".repeat(MiB)}\r\n`));
      if (!socket.destroyed) socket.once("drain", pour);
    };
    socket.resume();
    pour();
    await gone;
    expect(await isAlive()).toBe(true);
  });

  test("may come slowly, or never", async () => {
    const body = '{"metadata":{"name":"slow"}}';
    const slow = await raw("http/1.1");
    const never = await raw("http/1.1");
    const head = `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    never.write(`${head}{`);
    slow.write(head);
    for (const byte of body) await new Promise((resolve) => slow.write(byte, resolve));
    const answer = await new Promise<Buffer>((resolve) => slow.once("data", resolve));
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 201 /);
    expect(await isAlive()).toBe(true);
    slow.destroy();
    never.destroy();
  });
});

describe("connections", () => {
  test("that say nothing, or half a sentence, or leave in the middle", async () => {
    const { url } = credentials;
    const silent = Array.from({ length: 50 }, () => connectTcp(Number(url.port), url.hostname));
    for (const socket of silent) socket.on("error", () => {});
    const halves = await Promise.all(Array.from({ length: 20 }, () => raw("http/1.1")));
    for (const socket of halves) socket.write("GET /version HTTP/1.1\r\nHost: ");
    const left = await raw("http/1.1");
    left.write(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => left.once("data", resolve));
    left.destroy();
    expect(await isAlive()).toBe(true);
    for (const socket of [...silent, ...halves]) socket.destroy();
  });

  test("with lines of nonsense are answered with 400 or closed", async () => {
    for (const line of [
      "\0\0\0",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "\x16\x03\x01",
    ]) {
      const socket = await raw("http/1.1");
      const gone = closed(socket);
      socket.resume();
      socket.end(line);
      await gone;
    }
    expect(await isAlive()).toBe(true);
  });

  test("by certificates that nobody should trust", async () => {
    const { url, ca } = credentials;
    const day = 86_400_000;
    const stranger = authority("kubernetes", Date.now()).client({ commonName: "kubernetes-admin", organizations: ["system:masters"] });
    const old = authority("kubernetes", Date.now() - 40 * 365 * day).client({ commonName: "x", organizations: ["system:masters"] });
    const long = authority("kubernetes", Date.now()).client({ commonName: "x".repeat(60_000), organizations: [] });
    for (const { certificate: cert, key } of [stranger, old, long]) {
      const code = await new Promise<number | string>((resolve) => {
        request({ host: url.hostname, port: url.port, ca, cert, key, agent: false, path: "/api/v1/namespaces" }, (response) =>
          resolve(response.resume().statusCode ?? 0),
        )
          .on("error", () => resolve("refused"))
          .end();
      });
      expect([401, "refused"]).toContain(code);
    }
    expect(await isAlive()).toBe(true);
  });
});

describe("HTTP/2", () => {
  const session = () => {
    const { url, ca, cert, key } = credentials;
    const opened = connectHttp2(url, { ca, cert, key });
    opened.on("error", () => {});
    return opened;
  };
  const answerTo = (stream: ReturnType<ReturnType<typeof session>["request"]>) =>
    new Promise<number | string>((resolve) => {
      stream.once("response", (headers) => resolve(headers[":status"] ?? 0));
      stream.once("error", () => resolve("error"));
      stream.once("close", () => resolve("closed"));
      stream.resume();
    });

  test("streams opened and reset at once, hundreds of them", async () => {
    const opened = session();
    for (let n = 0; n < 500 && !opened.destroyed; n++) {
      const stream = opened.request({ ":path": CONFIG_MAPS });
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_CANCEL);
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await isAlive()).toBe(true);
    opened.destroy();
  });

  test("hundreds of streams at a time are all answered", async () => {
    const opened = session();
    const answers = await Promise.all(Array.from({ length: 300 }, () => answerTo(opened.request({ ":path": "/version" }))));
    expect(new Set(answers)).toEqual(new Set([200]));
    opened.destroy();
  });

  test("headers without an end", async () => {
    const opened = session();
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`x-${n}`, "x".repeat(16_000)]));
    expect([431, "error", "closed"]).toContain(await answerTo(opened.request({ ":path": "/version", ...many })));
    opened.destroy();
    expect(await isAlive()).toBe(true);
  });

  test("frames of nonsense", async () => {
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const frames = [
      Buffer.from([0xff, 0xff, 0xff, 0x00, 0x00, 0, 0, 0, 1]),
      Buffer.from([0, 0, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 4, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from([0, 0, 3, 0x01, 0x05, 0, 0, 0, 1, 0xff, 0xff, 0xff]),
      Buffer.from([0, 0, 1, 0x09, 0x00, 0, 0, 0, 0, 0]),
    ];
    for (const frame of frames) {
      const socket = await raw("h2");
      const gone = closed(socket);
      socket.resume();
      socket.write(preface);
      socket.end(frame);
      await gone;
    }
    expect(await isAlive()).toBe(true);
  });
});
