import { connect as connectHttp2, constants } from "node:http2";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { createCertificateAuthority } from "pintle/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { CONFIG_MAPS } from "./hostile-request.ts";
import { type Credentials, createRawClient, type RawClient, readCredentials } from "./raw-client.ts";

const MiB = 1024 * 1024;
let cluster: Cluster;
let credentials: Credentials;
let client: RawClient;
beforeAll(async () => {
  cluster = await startCluster({ without: true, http: true });
  credentials = readCredentials(cluster.kubeconfig);
  client = createRawClient(credentials);
});
afterAll(async () => {
  client.close();
  await cluster.stop();
});
const isAlive = async () => (await client.json("GET", "/version")).gitVersion !== undefined;

/** Opens a TLS connection to write raw bytes to. */
async function openRawConnection(protocol: string): Promise<TLSSocket> {
  const { url, ca, cert, key } = credentials;
  const socket = connect({ host: url.hostname, port: Number(url.port), ca, cert, key, ALPNProtocols: [protocol] });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return socket;
}
const waitForClose = (socket: TLSSocket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

describe("bodies without an end", () => {
  test("are refused with 413 while chunks arrive", async () => {
    const { url, ca, cert, key } = credentials;
    const sent = request({ host: url.hostname, port: url.port, ca, cert, key, agent: false, method: "POST", path: CONFIG_MAPS });
    sent.on("error", () => {});
    sent.setHeader("content-type", "application/json");
    const firstResponse = new Promise<{ code: number; body: string }>((resolve) => {
      sent.once("response", (response) => {
        void text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }));
      });
    });
    // The request is never ended: a server that waits for its end would hang.
    for (let n = 0; n < 4; n++) sent.write(Buffer.alloc(MiB, " "));
    const { code, body } = await firstResponse;
    expect([code, JSON.parse(body)]).toEqual([
      413,
      expect.objectContaining({ reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728" }),
    ]);
    sent.destroy();
  });

  test("close the connection when they do not end", async () => {
    const socket = await openRawConnection("http/1.1");
    const gone = waitForClose(socket);
    socket.write(`POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(`100000\r\n${" ".repeat(MiB)}\r\n`));
      if (!socket.destroyed) socket.once("drain", writeUntilFull);
    };
    socket.resume();
    writeUntilFull();
    await gone;
    expect(await isAlive()).toBe(true);
  });

  test("may arrive slowly, or never", async () => {
    const body = '{"metadata":{"name":"slow"}}';
    const slow = await openRawConnection("http/1.1");
    const never = await openRawConnection("http/1.1");
    const head = `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    never.write(`${head}{`);
    slow.write(head);
    for (const byte of body) await new Promise((resolve) => slow.write(byte, resolve));
    const firstResponse = await new Promise<Buffer>((resolve) => slow.once("data", resolve));
    expect(firstResponse.toString()).toMatch(/^HTTP\/1\.1 201 /);
    expect(await isAlive()).toBe(true);
    slow.destroy();
    never.destroy();
  });
});

describe("connections", () => {
  test("that are silent, send half a request or disconnect do not affect the server", async () => {
    const { url } = credentials;
    const silent = Array.from({ length: 50 }, () => connectTcp(Number(url.port), url.hostname));
    for (const socket of silent) socket.on("error", () => {});
    const halves = await Promise.all(Array.from({ length: 20 }, () => openRawConnection("http/1.1")));
    for (const socket of halves) socket.write("GET /version HTTP/1.1\r\nHost: ");
    const left = await openRawConnection("http/1.1");
    left.write(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => left.once("data", resolve));
    left.destroy();
    expect(await isAlive()).toBe(true);
    for (const socket of [...silent, ...halves]) socket.destroy();
  });

  test("with malformed request lines get 400 or are closed", async () => {
    for (const line of [
      "\0\0\0",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "\x16\x03\x01",
    ]) {
      const socket = await openRawConnection("http/1.1");
      const gone = waitForClose(socket);
      socket.resume();
      socket.end(line);
      await gone;
    }
    expect(await isAlive()).toBe(true);
  });

  test("with untrusted certificates are refused", async () => {
    const { url, ca } = credentials;
    const day = 86_400_000;
    const stranger = createCertificateAuthority("kubernetes", Date.now()).issueClientCertificate({
      commonName: "kubernetes-admin",
      organizations: ["system:masters"],
    });
    const old = createCertificateAuthority("kubernetes", Date.now() - 40 * 365 * day).issueClientCertificate({
      commonName: "x",
      organizations: ["system:masters"],
    });
    const long = createCertificateAuthority("kubernetes", Date.now()).issueClientCertificate({
      commonName: "x".repeat(60_000),
      organizations: [],
    });
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
  const waitForStatus = (stream: ReturnType<ReturnType<typeof session>["request"]>) =>
    new Promise<number | string>((resolve) => {
      stream.once("response", (headers) => resolve(headers[":status"] ?? 0));
      stream.once("error", () => resolve("error"));
      stream.once("close", () => resolve("closed"));
      stream.resume();
    });

  test("hundreds of streams opened and reset at once do not affect the server", async () => {
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

  test("hundreds of concurrent streams all get a response", async () => {
    const opened = session();
    const statuses = await Promise.all(Array.from({ length: 300 }, () => waitForStatus(opened.request({ ":path": "/version" }))));
    expect(new Set(statuses)).toEqual(new Set([200]));
    opened.destroy();
  });

  test("too many headers are refused", async () => {
    const opened = session();
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`x-${n}`, "x".repeat(16_000)]));
    expect([431, "error", "closed"]).toContain(await waitForStatus(opened.request({ ":path": "/version", ...many })));
    opened.destroy();
    expect(await isAlive()).toBe(true);
  });

  test("malformed frames close the connection", async () => {
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const frames = [
      Buffer.from([0xff, 0xff, 0xff, 0x00, 0x00, 0, 0, 0, 1]),
      Buffer.from([0, 0, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 4, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from([0, 0, 3, 0x01, 0x05, 0, 0, 0, 1, 0xff, 0xff, 0xff]),
      Buffer.from([0, 0, 1, 0x09, 0x00, 0, 0, 0, 0, 0]),
    ];
    for (const frame of frames) {
      const socket = await openRawConnection("h2");
      const gone = waitForClose(socket);
      socket.resume();
      socket.write(preface);
      socket.end(frame);
      await gone;
    }
    expect(await isAlive()).toBe(true);
  });
});
