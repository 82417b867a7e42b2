import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { Agent, type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createClient } from "../../client/index.ts";
import { systemClock, virtualClock } from "../../clock/index.ts";
import { defineResource } from "../../resource/index.ts";
import { createCertificateAuthority } from "../../tls/index.ts";
import { type RunningWebhookServer, serveWebhooks, type WebhookObserver, webhook } from "../index.ts";

const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ n: z.int() }) });
const ca = createCertificateAuthority("test", Date.now());
const pairFor = (name: string) => ca.issueServerCertificate({ commonName: name }, ["localhost"]);
const unusedClient = createClient(
  { request: () => Promise.reject(new Error("unexpected request")), close: async () => {} },
  { onWarning: () => {} },
);

let release: () => void;
let received = Promise.resolve();
const hook = webhook(Thing, {
  async validate({ object, signal }) {
    if (object.spec.n === 1) throw new Error("no luck");
    if (object.spec.n === 2) {
      const waiting = new Promise<void>((resolve) => {
        release = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      announce();
      await waiting;
    }
    return [];
  },
});
let announce = () => {};
beforeEach(() => {
  received = new Promise((resolve) => {
    announce = resolve;
  });
});

const seen: [string, number, boolean][] = [];
let inFlight = 0;
const observer: WebhookObserver = {
  paths() {},
  started: () => inFlight++,
  finished(path, code, _, threw) {
    inFlight--;
    seen.push([path, code, threw]);
  },
  conversionThrew() {},
  certificateLoaded() {},
};

let serving: RunningWebhookServer;
const PATH = "/validate-example-com-v1-thing";
const start = (more: object = {}) =>
  serveWebhooks({
    webhooks: [hook],
    resources: [],
    host: "127.0.0.1",
    port: 0,
    certificates: { pair: pairFor("first") },
    client: unusedClient,
    clock: systemClock,
    random: Math.random,
    log: { info() {}, warn() {}, error() {} },
    observer,
    signal: new AbortController().signal,
    ...more,
  });
beforeEach(async () => {
  seen.length = 0;
  serving = await start();
});
afterEach(() => serving.close(0));

const review = (n: unknown) =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: { group: "example.com", version: "v1", kind: "Thing" },
      operation: "CREATE",
      object: { metadata: { name: "a" }, spec: { n } },
    },
  });
interface ReviewResponse {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}
function send(body: string | Buffer, options: RequestOptions = {}): Promise<ReviewResponse> {
  return new Promise((resolve, reject) => {
    const { headers, ...rest } = options;
    const sent = request(
      {
        host: "127.0.0.1",
        port: serving.port,
        servername: "localhost",
        ca: ca.certificate,
        path: PATH,
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        ...rest,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
const responseOf = ({ text }: ReviewResponse) => JSON.parse(text).response;

describe("the webhook server responds with a review, and serves the next request, after", () => {
  test.each<[string, string | Buffer, RequestOptions, number, string]>([
    ["a wrong content type", review(0), { headers: { "content-type": "text/yaml" } }, 415, ""],
    ["no content type", review(0), { headers: { "content-type": "" } }, 415, ""],
    ["a compressed body", review(0), { headers: { "content-encoding": "gzip" } }, 415, ""],
    ["another method", "", { method: "GET" }, 405, ""],
    ["8 MiB with a content length", Buffer.alloc(8 * 2 ** 20, 32), { headers: { "content-length": 8 * 2 ** 20 } }, 413, ""],
    ["not JSON", "nonsense", {}, 400, ""],
    ["truncated", review(0).slice(0, 120), {}, 400, "u"],
    ["binary", Buffer.from([0xff, 0xfe, 0, 1, 2]), {}, 400, ""],
  ])("%s", async (_, body, options, code, uid) => {
    const got = await send(body, options).catch((error: NodeJS.ErrnoException) => error);
    // The server may close the connection before a large body is sent.
    if (got instanceof Error) expect(["EPIPE", "ECONNRESET"]).toContain(got.code);
    else {
      expect(got.status).toBe(200);
      expect(responseOf(got)).toMatchObject({ uid, allowed: false, status: { code } });
    }
    expect(seen.at(-1)).toEqual([PATH, code, false]);
    expect(responseOf(await send(review(0)))).toEqual({ uid: "u", allowed: true });
    expect(inFlight).toBe(0);
  });

  test("an endless chunked body", async () => {
    const socket = await openSocket();
    socket.write(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(2 ** 20, 32), Buffer.from("\r\n")]);
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    let text = "";
    socket.on("data", (data) => {
      text += String(data);
    });
    for (let i = 0; i < 9 && !socket.destroyed; i++) socket.write(chunk, () => {});
    await closed;
    expect(text === "" || text.includes('"code":413')).toBe(true);
    expect(seen.map(([, code]) => code)).toEqual([413]);
    expect(responseOf(await send(review(0))).allowed).toBe(true);
  });

  test("an unknown path, with 404", async () => {
    expect((await send(review(0), { path: "/validate-elsewhere" })).status).toBe(404);
  });

  test("a webhook that throws, with 500 inside the review", async () => {
    const got = await send(review(1));
    expect(got.status).toBe(200);
    expect(responseOf(got).status).toMatchObject({ code: 500, message: "the webhook for Thing a failed: no luck" });
    expect(seen).toEqual([[PATH, 500, true]]);
  });

  test("hundreds of corrupted reviews", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    let state = 7;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const sound = review(0);
    const corrupted = () => {
      const at = random(sound.length);
      const cut = [
        sound.slice(0, at),
        sound.slice(0, at) + sound.slice(at + 1 + random(9)),
        `${sound.slice(0, at)}${'[{"\\\u0000'[random(5)]}${sound.slice(at)}`,
      ];
      return cut[random(3)]!;
    };
    for (let round = 0; round < 12; round++) {
      const all = await Promise.all(Array.from({ length: 20 }, () => send(corrupted(), { agent })));
      for (const got of all) {
        expect(got.status).toBe(200);
        expect(typeof responseOf(got).allowed).toBe("boolean");
      }
    }
    agent.destroy();
    expect(inFlight).toBe(0);
  });
});

function openSocket(): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: serving.port, servername: "localhost", ca: ca.certificate }, () => {
      // The server may close the connection.
      socket.off("error", reject).on("error", () => {});
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

test("close finishes active requests, rejects new connections and closes idle ones", async () => {
  const idle = await openSocket();
  const closed = new Promise<void>((resolve) => idle.once("close", () => resolve()));
  const sending = send(review(2));
  await received;
  const stopping = serving.close(10_000);
  await expect(openSocket()).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket/);
  release();
  const got = await sending;
  expect(responseOf(got).allowed).toBe(true);
  expect(got.headers["connection"]).toBe("close");
  await stopping;
  await closed;
});

test("the signal of a request aborts when the client closes the connection", async () => {
  const socket = await openSocket();
  const body = review(2);
  socket.write(
    `POST ${PATH}?timeout=10s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await received;
  socket.destroy();
  await expect.poll(() => seen).toEqual([[PATH, 200, false]]);
});

test("serves a certificate within 10 s after its symbolic links changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pintle-files-"));
  const put = async (version: string) => {
    const { certificate, key } = pairFor(version);
    await writeFile(join(folder, `${version}.crt`), certificate);
    await writeFile(join(folder, `${version}.key`), key);
  };
  const point = async (version: string) => {
    for (const kind of ["crt", "key"]) {
      await rm(join(folder, `tls.${kind}`), { force: true });
      await symlink(join(folder, `${version}.${kind}`), join(folder, `tls.${kind}`));
    }
  };
  const subject = async () => {
    const socket = await openSocket();
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  await serving.close(0);
  const clock = virtualClock();
  await put("one");
  await put("two");
  await point("one");
  serving = await start({ clock, certificates: { cert: join(folder, "tls.crt"), key: join(folder, "tls.key") } });
  expect(await subject()).toBe("one");
  await point("two");
  await clock.advance(5_000);
  await expect.poll(subject).toBe("two");
  // The key does not match the certificate yet: the old pair is served until it does.
  await writeFile(join(folder, "two.key"), pairFor("three").key);
  await clock.advance(5_000);
  expect(await subject()).toBe("two");
  const closing = serving.close(0);
  await clock.advance(1_000);
  await closing;
  serving = await start();
  await rm(folder, { recursive: true });
});
