import { request as sendRequest } from "node:http";
import { brotliCompressSync } from "node:zlib";
import type { Fact } from "pintle";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleSource, createStateFromFacts } from "../source/index.ts";
import { type ConsoleServer, startConsoleServer } from "./index.ts";

const FACTS: readonly Fact[] = [{ sequence: 1, time: 5, type: "log", level: "info", message: "only the page reads this" }];
const source: ConsoleSource = {
  mode: "dev",
  name: "shop",
  cluster: "embedded",
  can: ["edit"],
  virtualClock: false,
  now: () => 5,
  recording: { id: "a1b2c3d4", facts: () => FACTS, sequence: 1, dropped: 0, generation: 0, subscribe: () => () => {} },
  state: () => createStateFromFacts(FACTS),
  timeOf: () => undefined,
  redact: (_, object) => object,
  sources: () => [],
  toYaml: () => "",
  samples: [],
  actions: { parseYaml: () => [] },
};
const page = brotliCompressSync("<!doctype html><title>console</title>");
const files = new Map([["index.html", { contentType: "text/html; charset=utf-8", brotli: page, immutable: false }]]);

let console: ConsoleServer;
let key: string;
let host: string;
beforeAll(async () => {
  console = await startConsoleServer({ source, loadFiles: async () => files, version: "0" });
  key = new URL(console.url).hash.slice("#key=".length);
  host = `127.0.0.1:${console.port}`;
});
afterAll(() => console[Symbol.asyncDispose]());

interface Attack {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends exactly these headers, as a browser that is misled would. */
function send(path: string, { method = "GET", headers = {}, body }: Attack = {}) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }>((resolve, reject) => {
    const sent = sendRequest(
      { host: "127.0.0.1", port: console.port, path, method, setHost: false, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const WRITE = { "x-pintle-console": "1", "content-type": "application/json" };
async function login() {
  const { status, headers } = await send("/api/login", { method: "POST", headers: WRITE, body: JSON.stringify({ key }) });
  expect(status).toBe(204);
  return String(headers["set-cookie"]);
}
const cookieOf = (header: string) => header.split(";")[0]!;

test("the key has 128 bits and is in the fragment, which no request contains", () => {
  expect(Buffer.from(key, "base64url")).toHaveLength(16);
  expect(new URL(console.url).search + new URL(console.url).pathname).toBe("/");
});

test("without the cookie every route but the login answers 401 and a sentence, and no data", async () => {
  for (const path of ["/api/session", "/api/facts", "/api/stream", "/api/now", "/api/objects", "/api/trace", "/api/anything"]) {
    const { status, text } = await send(path);
    expect([path, status]).toEqual([path, 401]);
    expect(JSON.parse(text).error.message).toMatch(/Open the URL that pintle printed/);
    expect(text).not.toContain("only the page reads this");
  }
  expect((await send("/api/apply", { method: "POST", headers: WRITE, body: "{}" })).status).toBe(401);
});

test("a wrong key, a guessed cookie, and the key as a cookie or in the query are refused", async () => {
  for (const wrong of ["", "x", `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`, `${key}x`, 0, null, { key }]) {
    const { status, headers } = await send("/api/login", { method: "POST", headers: WRITE, body: JSON.stringify({ key: wrong }) });
    expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
  }
  for (const cookie of [`pintle-console-${console.port}=${key}`, `pintle-console-${console.port}=`, "pintle-console-1=x", key])
    expect((await send("/api/session", { headers: { cookie } })).status).toBe(401);
  expect((await send(`/api/session?key=${key}`)).status).toBe(401);
});

test("the cookie is HttpOnly, strict, named by port and not the key; with it, the page reads", async () => {
  const header = await login();
  expect(header).toMatch(new RegExp(`^pintle-console-${console.port}=[\\w-]{22}; HttpOnly; SameSite=Strict; Path=/$`));
  expect(header).not.toContain(key);
  const { status, text } = await send("/api/facts", { headers: { cookie: cookieOf(header) } });
  expect([status, text.includes("only the page reads this")]).toEqual([200, true]);
});

test.each([
  "evil.test",
  "evil.test:80",
  "localhost",
  "127.0.0.1",
  "127.0.0.1:1",
  "localhost.:PORT",
  "[::1]:PORT",
  "127.0.0.1.evil.test:PORT",
  "",
])("a Host of %j is refused, also with the cookie: a name that was rebound to this machine", async (name) => {
  const cookie = cookieOf(await login());
  const { status, text } = await send("/api/facts", { headers: { cookie, host: name.replace("PORT", String(console.port)) } });
  expect([400, 403]).toContain(status);
  expect(text).not.toContain("only the page reads this");
  expect((await send("/", { headers: { host: name.replace("PORT", String(console.port)) } })).status).not.toBe(200);
});

test("both names of the listener are accepted", async () => {
  const cookie = cookieOf(await login());
  for (const name of [host, `localhost:${console.port}`])
    expect((await send("/api/facts", { headers: { cookie, host: name } })).status).toBe(200);
});

test.each([
  ["http://evil.test", "cross-site"],
  ["http://127.0.0.1:1", "same-site"],
  ["null", "cross-site"],
  [undefined, "cross-site"],
  [undefined, "same-site"],
  [undefined, "none"],
])(
  "a page of the origin %j (%s), such as one on another port of this machine, can neither read, follow nor write",
  async (origin, site) => {
    const cookie = cookieOf(await login());
    const headers = { cookie, ...(origin === undefined ? {} : { origin }), "sec-fetch-site": site };
    for (const path of ["/api/facts", "/api/stream", "/api/session"])
      expect([path, (await send(path, { headers })).status]).toEqual([path, 403]);
    expect((await send("/api/apply", { method: "POST", headers: { ...headers, ...WRITE }, body: "{}" })).status).toBe(403);
  },
);

test("a write without the header is refused, and so is one with the body of a form", async () => {
  const headers = { cookie: cookieOf(await login()), origin: `http://${host}`, "sec-fetch-site": "same-origin" };
  const json = { ...headers, "content-type": "application/json" };
  expect((await send("/api/apply", { method: "POST", headers: json, body: "{}" })).status).toBe(403);
  expect((await send("/api/objects/core/pods/default/a", { method: "DELETE", headers })).status).toBe(403);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
    expect((await send("/api/apply", { method: "POST", headers: { ...headers, ...WRITE, "content-type": type }, body: "{}" })).status).toBe(
      415,
    );
  expect((await send("/api/apply", { method: "POST", headers: { ...headers, ...WRITE }, body: "{}" })).status).not.toBe(403);
});

test("no answer has a CORS header, and a preflight request gets none", async () => {
  const cookie = cookieOf(await login());
  const preflight = {
    origin: "http://evil.test",
    "access-control-request-method": "POST",
    "access-control-request-headers": "x-pintle-console",
  };
  const answers = [
    await send("/api/apply", { method: "OPTIONS", headers: preflight }),
    await send("/api/apply", { method: "OPTIONS", headers: { "access-control-request-method": "POST" } }),
    await send("/api/facts", { headers: { cookie } }),
    await send("/"),
  ];
  for (const { headers } of answers) expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([403, 403]);
});

test("every answer forbids foreign and inline scripts, frames and types of text as markup", async () => {
  for (const path of ["/", "/o/apps/deployments/default/web", "/api/session", "/assets/missing.js"]) {
    const { headers } = await send(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    for (const directive of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(directive);
    expect(policy).not.toContain("unsafe-");
    expect([headers["x-content-type-options"], headers["referrer-policy"], headers["cross-origin-resource-policy"]]).toEqual([
      "nosniff",
      "no-referrer",
      "same-origin",
    ]);
  }
});

test("a link from another site may open the page, which has no data", async () => {
  const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  expect((await send("/", { headers })).text).toContain("<title>console</title>");
  expect((await send("/api/session", { headers: { ...headers, cookie: cookieOf(await login()) } })).status).toBe(403);
});

test("bodies are bounded, and paths that are no paths are no routes", async () => {
  const headers = { ...WRITE, cookie: cookieOf(await login()) };
  expect((await send("/api/apply", { method: "POST", headers, body: `"${"x".repeat(4 * 1024 * 1024)}"` })).status).toBe(413);
  expect((await send("/api/apply", { method: "POST", headers, body: "{" })).status).toBe(400);
  for (const path of [
    "/api/objects/%ff/a/b/c",
    "/api/objects/a%2fb/c/d/e",
    "/api/../api/nothing",
    "/api//facts",
    "/api/logs/%ff/x",
    "/api/__proto__",
  ])
    expect([path, (await send(path, { headers: { cookie: headers.cookie } })).status]).toEqual([path, 404]);
  expect((await send("/api/facts?limit=-1", { headers: { cookie: headers.cookie } })).status).toBe(400);
});

test("a write that the source cannot do is refused", async () => {
  const headers = { ...WRITE, cookie: cookieOf(await login()) };
  for (const path of ["/api/exec", "/api/lab/faults", "/api/lab/restart", "/api/replay", "/api/queue/run"])
    expect([path, (await send(path, { method: "POST", headers, body: "{}" })).status]).toEqual([path, 403]);
});
