import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as sendRequest } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, readTrace, startCluster } from "@pintle/cluster";
import { consolePage } from "@pintle/console";
import { type ConsoleServer, startConsoleServer } from "@pintle/console/internal/server";
import type { ConsoleSource } from "@pintle/console/internal/source";
import { controller, defineResource, type Logger, startManager, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "pintle/kinds/rbac/v1";
import { virtualClock } from "pintle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClusterSource, createTraceSource, forwardConsole } from "../src/console/index.ts";
import { openUrlEndpoint } from "../src/target-cluster/index.ts";

const Shop = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({ size: z.int().max(9), label: z.string().optional() }),
  status: z.object({ ready: z.int() }),
});
const shops = controller(Shop, {
  owns: [Deployment],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    if (object.spec.label === "broken") throw new TypeError("the label is broken");
    const labels = { app: name };
    const container = { name: "main", image: "shop:1" };
    return want({
      children: {
        main: Deployment.desired({
          metadata: { name },
          spec: {
            replicas: object.spec.size,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [container] } },
          },
        }),
      },
      status: { ready: owned(Deployment).get(name)?.status.readyReplicas ?? 0 },
    });
  },
});

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };

const PATH = "/api/objects/shop.example.com/shops/default/main";
const VALUE = "a-secret-value-that-no-page-shows";
let cluster: Cluster;
let source: ConsoleSource & AsyncDisposable;
let manager: ReturnType<typeof startManager>;
const consoles: { readonly server: ConsoleServer; readonly cookie: string }[] = [];

async function open(of: ConsoleSource) {
  const server = await startConsoleServer({
    source: of,
    loadFiles: async () => new Map(),
    version: "0",
    onError: (error) => console.error(error),
  });
  const key = new URL(server.url).hash.slice("#key=".length);
  const response = await fetch(`http://127.0.0.1:${server.port}/api/login`, {
    method: "POST",
    headers: WRITE,
    body: JSON.stringify({ key }),
  });
  const opened = { server, cookie: response.headers.get("set-cookie")!.split(";")[0]! };
  consoles.push(opened);
  return opened;
}
const WRITE = { "x-pintle-console": "1", "content-type": "application/json" };
const seen: string[] = [];
async function ask(
  path: string,
  { method = "GET", body, of = consoles[0]! }: { method?: string; body?: unknown; of?: (typeof consoles)[number] } = {},
): Promise<any> {
  const init = {
    method,
    headers: { cookie: of.cookie, ...(method === "GET" ? {} : WRITE) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await fetch(`http://127.0.0.1:${of.server.port}${path}`, init);
  const text = await response.text();
  seen.push(text);
  return response.status === 204 ? { status: 204 } : { status: response.status, ...JSON.parse(text) };
}
const post = (path: string, body: unknown) => ask(path, { method: "POST", body });
const apply = (spec: object, name = "main", extra: object = {}) =>
  post("/api/apply", {
    yaml: JSON.stringify({ apiVersion: "shop.example.com/v1", kind: "Shop", metadata: { name }, spec }),
    dryRun: false,
    ...extra,
  });

beforeAll(async () => {
  cluster = await startCluster({ recorder: true, clock: virtualClock(1_000_000) });
  await cluster.ready;
  await cluster.client().apply(CustomResourceDefinition, Shop.crd() as never, { force: true });
  await cluster.client().create(Secret, { metadata: { namespace: "default", name: "token" }, stringData: { token: VALUE } } as never);
  await cluster.settled();
  manager = startManager({
    controllers: [shops],
    client: cluster.client(),
    clock: cluster.clock,
    recorder: cluster.recorder,
    console: consolePage({ address: "127.0.0.1:0" }),
    logger: SILENT,
  });
  await manager.ready;
  source = await createClusterSource(cluster, { name: "shop" });
  await open(source);
  expect((await apply({ size: 2 })).objects).toMatchObject([{ outcome: "created", path: "shop.example.com/shops/default/main" }]);
  await cluster.settled();
});
afterAll(async () => {
  for (const { server } of consoles) await server[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
  await manager.stop();
  await cluster.stop();
});

test("session, now, kinds, tree and search show the operator's objects", async () => {
  expect(await ask("/api/session")).toMatchObject({
    mode: "dev",
    name: "shop",
    virtualClock: true,
    revision: expect.any(Number),
    can: expect.arrayContaining(["edit", "fork", "clock"]),
  });
  expect(await ask("/api/now")).toMatchObject({ settled: true, troubles: [], objects: [{ name: "main", kind: "Shop" }] });
  expect((await ask("/api/kinds")).kinds[0]).toMatchObject({ kind: "Shop", own: true, custom: true, count: 1 });
  const { nodes } = await ask("/api/tree");
  expect(nodes.map((node: { kind: string }) => node.kind)).toEqual(["Shop", "Deployment", "ReplicaSet", "Pod", "Pod"]);
  expect((await ask("/api/tree?limit=3")).leftOut).toEqual({ Pod: 2 });
  expect((await ask("/api/search?q=shop+main")).hits[0]).toMatchObject({ type: "object", href: "/o/shop.example.com/shops/default/main" });
  expect((await ask("/api/objects?kind=core/pods&namespace=default&label=app%3Dmain")).total).toBe(2);
  expect((await ask("/api/objects?label=((")).status).toBe(400);
});

test("an edit is dry-run first, applied by pintle-console, and its chain leads to the pods and back to the status", async () => {
  const before = (await ask(PATH)).summary.revision;
  const dry = await apply({ size: 3 }, "main", { dryRun: true });
  expect(dry.objects[0].changes).toContainEqual({ path: ".spec.size", old: 2, new: 3 });
  expect((await ask(PATH)).object.spec.size).toBe(2);
  const { objects } = await apply({ size: 3 });
  await cluster.settled();
  const revision = objects[0].revision as number;
  const { fields } = await ask(`${PATH}/blame`);
  expect(fields.find((field: { path: string }) => field.path === ".spec.size")).toMatchObject({
    value: 3,
    since: revision,
    managers: [{ manager: "pintle-console" }],
  });
  const chain = await ask(`/api/chain/${revision}`);
  expect(chain.tracks[0]).toMatchObject({ kind: "client" });
  const kinds = new Set(chain.nodes.map((node: { text: string }) => node.text.split(" ")[0]));
  for (const kind of ["Shop", "Deployment", "ReplicaSet", "Pod"]) expect(kinds).toContain(kind);
  const ids = new Set(chain.nodes.map((node: { id: string }) => node.id));
  for (const { from, to } of chain.edges) expect(ids.has(from) && ids.has(to)).toBe(true);
  expect(chain.nodes.slice(1).every((node: { id: string }) => chain.edges.some((edge: { to: string }) => edge.to === node.id))).toBe(true);
  expect(
    chain.nodes.some((node: { object: string; revision: number }) => node.object?.includes("/shops/") && node.revision > revision),
  ).toBe(true);
  const past = await ask(`${PATH}?at=${revision - 1}`);
  expect(past.object.spec.size).toBe(2);
  expect((await ask(`/api/objects?kind=core/pods&at=${revision}`)).total).toBe(2);
  const diff = await ask(`${PATH}/diff?from=${before}&to=${revision}`);
  expect(diff).toMatchObject({ type: "changed", changes: expect.arrayContaining([{ path: ".spec.size", old: 2, new: 3 }]) });
  expect((await ask(`/api/diff?from=${revision - 1}&to=${revision}`)).objects).toHaveLength(1);
  expect((await ask(`${PATH}/why?field=.spec.size`)).text).toContain(`r${revision}`);
});

test("the story of an object has commits, runs with their steps, and drops; a run has causes with changed fields", async () => {
  const { entries } = await ask(`${PATH}/story`);
  expect(new Set(entries.map((entry: { type: string }) => entry.type))).toEqual(new Set(["commit", "run", "drop"]));
  const { runs } = await ask("/api/runs?effect=true");
  const details = await Promise.all(runs.map((run: { id: string }) => ask(`/api/runs/${run.id}`)));
  const isScaling = ({ passes }: { passes: { steps: { changes: object[] }[] }[] }) =>
    passes.some(({ steps }) => steps.some(({ changes }) => JSON.stringify(changes).includes('".spec.replicas","old":2,"new":3')));
  const detail = details.find(isScaling);
  expect(detail.wokenBy[0]).toMatchObject({
    path: "shop.example.com/shops/default/main",
    changes: expect.arrayContaining([{ path: ".spec.size", old: 2, new: 3 }]),
  });
  expect(detail.passes[0].steps[0]).toMatchObject({
    step: "apply",
    changes: [{ path: ".spec.replicas", old: 2, new: 3 }],
    code: 200,
    revision: expect.any(Number),
  });
  expect((await ask("/api/drops?reason=own+write")).drops[0].text).toContain("own write caused it");
  expect((await ask(`${PATH}/plan`)).passes[0]).toMatchObject({ controller: "shop", phase: "reconcile", replayable: true });
  expect((await ask("/api/runs/00000000-1")).status).toBe(404);
});

test("a failing key is a trouble with its error, its frames and the time of its retry", async () => {
  await apply({ size: 1, label: "broken" }, "bad");
  await cluster.settled();
  const { troubles, settled } = await ask("/api/now");
  expect(settled).toBe(false);
  const failing = troubles.find((trouble: { kind: string }) => trouble.kind === "failing");
  expect(failing).toMatchObject({
    object: "shop.example.com/shops/default/bad",
    detail: expect.stringContaining("the label is broken"),
    nextRetry: expect.any(Number),
  });
  expect((await ask(`/api/runs/${failing.run}`)).frames.join("\n")).toContain("console.test.ts");
  const backoff = cluster
    .recorder!.facts()
    .find((fact) => fact.type === "drop" && fact.reason === "backing off" && fact.run === failing.run);
  expect(failing.nextRetry).toBe((backoff as { readonly until: number }).until);
  expect((await ask("/api/watches")).queues[0].delayed[0]).toMatchObject({
    key: "default/bad",
    state: "backing off",
    due: failing.nextRetry,
  });
  expect((await ask("/api/objects?q=bad")).items[0]).toMatchObject({
    state: "failed",
    stateText: expect.stringContaining("shop fails: "),
  });
  const { rows } = await ask("/api/facts?limit=5000");
  const written = rows.filter(
    ({ type, object }: { type: string; object?: string }) => type === "commit" && /\/events\//.test(object ?? ""),
  );
  expect(new Set(written.map(({ tone }: { tone: string }) => tone))).toEqual(new Set(["noise"]));
  expect(await ask("/api/objects/shop.example.com/shops/default/bad", { method: "DELETE" })).toEqual({ status: 204 });
  await cluster.settled();
  expect((await ask("/api/objects/shop.example.com/shops/default/bad")).summary.deleted).toEqual(expect.any(Number));
  expect((await ask("/api/objects?kind=shop.example.com/shops&deleted=true&q=bad")).items).toMatchObject([
    { name: "bad", deleted: expect.any(Number) },
  ]);
});

test("the API server's refusals name the field; what is no object is refused before", async () => {
  expect(await apply({ size: 12 })).toMatchObject({
    status: 422,
    error: { reason: "Invalid", fields: [{ path: ".spec.size", message: expect.stringContaining("less than or equal to 9") }] },
  });
  for (const yaml of ["", "[", "a: b", "apiVersion: v1\nkind: Nothing\nmetadata: {name: a}", "apiVersion: v1\nkind: Pod"])
    expect(await post("/api/apply", { yaml, dryRun: true })).toMatchObject({ status: 400, error: { reason: "Invalid" } });
  expect(await ask("/api/schemas/shop.example.com/v1/Shop")).toMatchObject({
    kind: "Shop",
    schema: { properties: { spec: { properties: { size: { maximum: 9 } } } } },
  });
});

test("a fault rule strikes once, is counted, and ends; a refused write names the line to add", async () => {
  const rule = {
    on: { verb: "patch", resource: "deployments" },
    do: {
      status: 403,
      message:
        'deployments.apps "main" is forbidden: User "jane" cannot patch resource "deployments" in API group "apps" in the namespace "default"',
    },
    nth: 1,
  };
  const { id } = await post("/api/lab/faults", rule);
  await apply({ size: 4 });
  await cluster.settled();
  const lab = await ask("/api/lab");
  expect([lab.faults[0].hits, lab.strikes.length > 0]).toEqual([1, true]);
  expect((await ask("/api/requests?code=403")).denied[0]).toMatchObject({
    verb: "patch",
    resource: "deployments",
    user: "jane",
    line: 'needs: [allow(Deployment, "patch")]',
    imports: 'import { Deployment } from "pintle/kinds/apps/v1";',
    runs: [expect.any(String)],
  });
  expect((await ask("/api/now")).troubles[0]).toMatchObject({ kind: "forbidden", advice: 'needs: [allow(Deployment, "patch")]' });
  expect(await ask(`/api/lab/faults/${id}`, { method: "DELETE" })).toEqual({ status: 204 });
  for (const wrong of [{}, { do: {} }, { do: { status: 409 }, on: { nothing: "x" } }, { do: { status: 409 }, nth: "x" }])
    expect((await post("/api/lab/faults", wrong)).status).toBe(400);
  const { now } = await post("/api/lab/clock", { milliseconds: 60_000 });
  expect(now).toBeGreaterThanOrEqual(1_060_000);
  expect((await ask("/api/now")).troubles).toEqual([]);
  expect((await ask(PATH)).object.spec.size).toBe(4);
});

test("a fork at a revision has the objects of then, and its writes stay in it", async () => {
  const { revisions } = await ask(PATH);
  const fork = await post("/api/lab/forks", { at: revisions[0].revision });
  expect(fork).toMatchObject({ id: "1", kubectl: expect.stringContaining("kubectl --kubeconfig ") });
  expect((await ask(`${PATH}?fork=1`)).object.spec.size).toBe(2);
  const yaml = JSON.stringify({ apiVersion: "shop.example.com/v1", kind: "Shop", metadata: { name: "forked" }, spec: { size: 1 } });
  expect((await post("/api/apply?fork=1", { yaml, dryRun: false })).objects[0].outcome).toBe("created");
  expect((await ask("/api/objects?kind=shop.example.com/shops")).total).toBe(1);
  expect(await ask("/api/lab/forks/1", { method: "DELETE" })).toEqual({ status: 204 });
  expect((await ask(`${PATH}?fork=1`)).status).toBe(404);
  expect((await post("/api/lab/forks", { at: 1_000_000 })).status).toBe(400);
});

test("pods: a command, its output, logs, and a forwarded port that ends", async () => {
  const { items } = await cluster.client().list(Pod, { namespace: "default" });
  const [pod] = items;
  const { name } = pod!.metadata;
  expect(await post("/api/exec", { namespace: "default", pod: name, command: "echo 'a b' c" })).toMatchObject({
    stdout: "a b c\n",
    exitCode: 0,
  });
  expect((await post("/api/exec", { namespace: "default", pod: name, command: "echo 'a" })).status).toBe(400);
  expect((await post("/api/exec", { namespace: "default", pod: "missing", command: "echo" })).status).toBe(404);
  const forward = await post("/api/port-forwards", { namespace: "default", pod: name, port: 80 });
  expect(forward.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await ask("/api/port-forwards")).forwards).toHaveLength(1);
  expect(await ask(`/api/port-forwards/${forward.id}`, { method: "DELETE" })).toEqual({ status: 204 });
  await expect(fetch(forward.url)).rejects.toThrow();
});

async function readStream(path: string, headers: Record<string, string>, until: RegExp) {
  const stop = new AbortController();
  const { server, cookie } = consoles[0]!;
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { cookie, ...headers }, signal: stop.signal });
  let text = "";
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (until.test(text)) break;
  }
  stop.abort();
  return text;
}

test("the stream resumes after the last event that arrived, and says if the recording is another one", async () => {
  const { recording, sequence } = await ask("/api/facts?limit=1");
  const first = await readStream("/api/stream?after=0", {}, /event: facts\n.*\n\n/);
  expect(first).toContain("event: session");
  const id = /id: (\S+)\nevent: facts/.exec(first)![1]!;
  expect(id).toMatch(new RegExp(`^${recording}\\.\\d+$`));
  const second = readStream("/api/stream", { "last-event-id": `${recording}.${sequence}` }, /event: facts\n.*\n\n/);
  await apply({ size: 5 });
  const rows = JSON.parse(/event: facts\ndata: (.*)\n/.exec(await second)![1]!).rows as { sequence: number }[];
  expect(rows[0]!.sequence).toBeGreaterThan(sequence);
  expect(await readStream("/api/stream", { "last-event-id": "00000000.5" }, /event: session/)).toContain("event: reset");
  await cluster.settled();
});

test("the saved trace opens in the same page, read-only", async () => {
  const { server, cookie } = consoles[0]!;
  const bytes = Buffer.from(await (await fetch(`http://127.0.0.1:${server.port}/api/trace`, { headers: { cookie } })).arrayBuffer());
  const folder = mkdtempSync(path.join(tmpdir(), "console-test-"));
  try {
    const file = path.join(folder, "a.pintle-trace");
    writeFileSync(file, bytes);
    const of = await open(createTraceSource(await readTrace(file), { file: "a.pintle-trace" }));
    const session = await ask("/api/session", { of });
    expect(session).toMatchObject({ mode: "trace", can: ["history"] });
    const live = await ask(PATH);
    expect((await ask(PATH, { of })).object).toEqual(live.object);
    expect((await ask(`${PATH}?at=${live.revisions[0].revision}`, { of })).object.spec.size).toBe(2);
    expect((await ask(`/api/chain/${live.revisions[0].revision}`, { of })).nodes.length).toBeGreaterThan(5);
    expect((await ask("/api/apply", { method: "POST", body: { yaml: "", dryRun: true }, of })).error.reason).toBe("ReadOnly");
    expect((await ask("/api/now?at=1000000", { of })).status).toBe(400);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the value of a Secret is in no answer, also not when the Secret is asked for", async () => {
  const { object } = await ask("/api/objects/core/secrets/default/token");
  expect(object.data.token).toMatch(/^\(redacted [0-9a-f]{12}\)$/);
  await ask("/api/objects/core/secrets/default/token/story");
  await ask("/api/objects/core/secrets/default/token/blame");
  await ask("/api/facts");
  await ask("/api/requests");
  for (const text of seen) for (const form of [VALUE, Buffer.from(VALUE).toString("base64")]) expect(text.includes(form)).toBe(false);
});

test("speed adds up, and every read answers at a past revision", async () => {
  const speed = await ask("/api/speed?buckets=10");
  expect([speed.time.length, speed.runs.length, speed.controllers[0].controller]).toEqual([10, 10, "shop"]);
  expect(speed.controllers[0].runs).toBe(speed.runs.reduce((sum: number, runs: number) => sum + runs, 0));
  const { revisions } = await ask(PATH);
  for (const route of [
    "/api/now",
    "/api/kinds",
    "/api/tree",
    "/api/runs",
    "/api/requests",
    "/api/drops",
    "/api/watches",
    "/api/speed",
    "/api/events",
    "/api/facts",
    "/api/lifecycle",
    "/api/schemas",
    "/api/search?q=a",
    "/api/lab",
  ]) {
    const joint = route.includes("?") ? "&" : "?";
    expect([route, (await ask(`${route}${joint}at=${revisions[1].revision}`)).status]).toEqual([route, 200]);
  }
  const { runs } = await ask(`/api/runs?at=${revisions[0].revision}`);
  expect(runs).toEqual([]);
});

/** Asks the console that the operator itself serves. */
function askProduction(path: string, token?: string, method = "GET") {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...WRITE };
    const sent = sendRequest(
      { host: "127.0.0.1", port: manager.ports.console, path, method, headers, rejectUnauthorized: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      },
    );
    sent.on("error", reject);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}

test("in production: no token 401, no right 403, objects that the viewer may not read are absent, no Secret, no writing route", async () => {
  const client = cluster.client();
  const viewer = { namespace: "default", name: "viewer" };
  await client.create(ServiceAccount, { metadata: viewer } as never);
  const { token } = await client.createToken(ServiceAccount, viewer);
  const grant = async (name: string, rules: readonly object[], isNamespaced: boolean) => {
    const subjects = [{ kind: "ServiceAccount", ...viewer }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: isNamespaced ? "Role" : "ClusterRole", name };
    const metadata = { name, ...(isNamespaced ? { namespace: "default" } : {}) };
    await client.create((isNamespaced ? Role : ClusterRole) as typeof Role, { metadata, rules } as never);
    await client.create((isNamespaced ? RoleBinding : ClusterRoleBinding) as typeof RoleBinding, { metadata, roleRef, subjects } as never);
    // Decisions are kept for a while.
    await cluster.advance(31_000);
  };
  expect((await askProduction("/api/session")).status).toBe(401);
  expect((await askProduction("/api/session", "wrong")).status).toBe(401);
  expect((await askProduction("/")).status).toBe(401);
  expect((await askProduction("/api/session", token)).status).toBe(403);
  await grant("console", [{ nonResourceURLs: ["/console"], verbs: ["get"] }], false);
  const session = await askProduction("/api/session", token);
  expect(JSON.parse(session.text)).toMatchObject({ mode: "production", can: ["history"] });
  for (const path of ["/api/facts", "/api/runs", "/api/objects", "/api/requests", "/api/drops"])
    expect((await askProduction(path, token)).text).not.toContain("main");

  await grant("shops", [{ apiGroups: ["shop.example.com"], resources: ["shops"], verbs: ["get"], resourceNames: ["main"] }], true);
  const runs = JSON.parse((await askProduction("/api/runs", token)).text).runs;
  expect(new Set(runs.map((run: { key: string }) => run.key))).toEqual(new Set(["default/main"]));
  const { items } = JSON.parse((await askProduction("/api/objects", token)).text);
  expect(items.map((item: { path: string }) => item.path)).toEqual(["shop.example.com/shops/default/main"]);
  const detail = await askProduction(`/api/runs/${runs[0].id}`, token);
  expect([detail.status, detail.text.includes("Deployment")]).toEqual([200, false]);
  await grant("secrets", [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }], false);
  expect((await askProduction("/api/objects", token)).text).not.toContain("secrets");
  for (const path of [
    "/api/apply",
    "/api/exec",
    "/api/lab/faults",
    "/api/lab/restart",
    "/api/replay",
    "/api/queue/run",
    "/api/samples",
    "/api/port-forwards",
    "/api/login",
  ])
    expect([path, (await askProduction(path, token, "POST")).status]).toEqual([path, 404]);

  // As `pintle console` shows it: the token stays in this process, and only reads are passed on.
  let printed = "";
  const print = (text: string) => {
    printed += text;
  };
  const io = { out: print, err: print, signal: new AbortController().signal };
  const options = { port: undefined, open: false, version: "0", io };
  await expect(forwardConsole(openUrlEndpoint(new URL(`https://127.0.0.1:${manager.ports.console}`), "wrong"), options)).rejects.toThrow(
    /does not accept the token/,
  );
  const forwarded = await forwardConsole(openUrlEndpoint(new URL(`https://127.0.0.1:${manager.ports.console}`), token), options);
  const { origin, hash } = new URL(/console (\S+)/.exec(printed)![1]!);
  expect((await fetch(`${origin}/api/session`)).status).toBe(401);
  const body = JSON.stringify({ key: hash.slice("#key=".length) });
  const login = await fetch(`${origin}/api/login`, { method: "POST", headers: WRITE, body });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const objects = await fetch(`${origin}/api/objects`, { headers: { cookie } });
  expect(((await objects.json()) as { total: number }).total).toBe(1);
  expect((await fetch(`${origin}/api/apply`, { method: "POST", headers: { ...WRITE, cookie }, body: "{}" })).status).toBe(404);
  const stop = new AbortController();
  const stream = await fetch(`${origin}/api/stream?after=0`, { headers: { cookie }, signal: stop.signal });
  const first = await stream.body!.getReader().read();
  expect(Buffer.from(first.value!).toString()).toContain("retry: 1000");
  stop.abort();
  await forwarded[Symbol.asyncDispose]();
});
