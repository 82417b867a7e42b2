import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, type FaultRule, startCluster } from "@pintle/cluster";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtFolder, sourcesOf, state } from "../clients/built.ts";
import { programs } from "../clients/programs.ts";
import { type Deed, type Program, program, type Seen } from "./program.ts";

const goClient = programs.find(({ name }) => name === "client-go")!;
const { missing, impossible } = state();
const namespace = "default";
const HOOK = "check.example.com";
const CLIENTS = ["client-node", "client-go"] as const;
if (impossible.includes(goClient)) console.warn(`\n!!! NOT COMPARED: client-go: ${goClient.tool} is not on PATH, so it was not built\n`);

let cluster: Cluster;
let folder: string;
const running = new Map<string, Program>();
beforeAll(async () => {
  if (missing.includes(goClient)) throw new Error("client-go is not built. Run: npm run clients:build");
  folder = await mkdtemp(join(tmpdir(), "pintle-faults-"));
  const kubeconfig = join(folder, "kubeconfig");
  cluster = await startCluster({ http: true, without: true });
  await webhook(cluster);
  await cluster.writeKubeconfig(kubeconfig);
  running.set("client-node", program([process.execPath, "--import", "tsx", join(import.meta.dirname, "client-node.ts")], kubeconfig));
  if (!impossible.includes(goClient)) {
    running.set("client-go", program(goClient.command(builtFolder(goClient), sourcesOf(goClient)), kubeconfig));
  }
});
afterAll(async () => {
  await Promise.all([...running.values()].map((each) => each[Symbol.asyncDispose]()));
  await cluster?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});
beforeEach(async () => {
  cluster.faults.clear();
  const client = cluster.client();
  await client.deleteCollection(ConfigMap, { namespace });
  await client.create(ConfigMap, { metadata: { name: "a", namespace } });
  cluster.journal.clear();
});

/** Lets everything pass that it is asked about. */
async function webhook({ routeService, client }: Cluster): Promise<void> {
  const service = { namespace, name: "hook" };
  routeService(service, async (request) => {
    const { apiVersion, kind, request: asked } = (await request.json()) as { apiVersion: string; kind: string; request: { uid: string } };
    return Response.json({ apiVersion, kind, response: { uid: asked.uid, allowed: true } });
  });
  const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE" as const] };
  await client().create(ValidatingWebhookConfiguration, {
    metadata: { name: "hook" },
    webhooks: [{ name: HOOK, clientConfig: { service }, rules: [rule], sideEffects: "None", admissionReviewVersions: ["v1"] }],
  });
}

const onSecond = { on: { verb: "watch", resource: "configmaps", event: "MODIFIED" }, nth: 2 } as const;
const once = (verb: string) => ({ on: { verb, resource: "configmaps" }, nth: 1 }) as const;

interface Case {
  readonly what: string;
  readonly rule: FaultRule;
  readonly deed: Deed;
  readonly seen: Partial<Seen>;
  /** How long it takes, or its events do, at least. */
  readonly atLeast?: number;
  /** Where a client goes about it in a way of its own. */
  readonly byClient?: Partial<Record<(typeof CLIENTS)[number], Partial<Seen>>>;
}

/** Each rule, and exactly that is what the client sees. */
const cases: readonly Case[] = [
  { what: "409", rule: { ...once("patch"), do: { status: 409 } }, deed: "write", seen: { ok: false, code: 409, reason: "Conflict" } },
  {
    what: "409 to a create",
    rule: { ...once("create"), do: { status: 409 } },
    deed: "create",
    seen: { code: 409, reason: "AlreadyExists" },
  },
  { what: "410", rule: { ...once("list"), do: { status: 410 } }, deed: "list", seen: { ok: false, code: 410, reason: "Expired" } },
  {
    what: "410 to a watch",
    rule: { ...once("watch"), do: { status: 410 } },
    deed: "watch",
    seen: { ok: false, code: 410, reason: "Expired" },
  },
  {
    what: "429",
    rule: { ...once("patch"), do: { status: 429 } },
    deed: "write",
    seen: { ok: false, code: 429, reason: "TooManyRequests" },
  },
  {
    what: "429 with a time to come back",
    rule: { ...once("patch"), do: { status: 429, retryAfter: 1 } },
    deed: "write",
    seen: { ok: false, code: 429, retryAfter: 1 },
    // It comes back by itself.
    byClient: { "client-go": { ok: true } },
  },
  { what: "500", rule: { ...once("patch"), do: { status: 500 } }, deed: "write", seen: { ok: false, code: 500, reason: "InternalError" } },
  { what: "latency", rule: { ...once("patch"), do: { latency: 400 } }, deed: "write", seen: { ok: true }, atLeast: 395 },
  { what: "cut before", rule: { ...once("create"), do: { cut: "before" } }, deed: "create", seen: { ok: false, broken: true } },
  { what: "cut mid-response", rule: { ...once("create"), do: { cut: "mid-response" } }, deed: "create", seen: { ok: false, broken: true } },
  {
    what: "a duplicated event",
    rule: { ...onSecond, do: { duplicate: true } },
    deed: "watch",
    seen: { events: ["1", "2", "2", "3"], end: "open" },
  },
  { what: "a lost event", rule: { ...onSecond, do: { drop: "event" } }, deed: "watch", seen: { events: ["1", "3"], end: "open" } },
  {
    what: "a dropped watch",
    rule: { ...onSecond, do: { drop: "connection" } },
    deed: "watch",
    seen: { events: ["1"], end: "ended" },
    // It says so with an event of its own making.
    byClient: { "client-go": { ok: false, code: 500, reason: "InternalError", events: ["1"] } },
  },
  { what: "a stalled watch", rule: { ...onSecond, do: { stall: true } }, deed: "watch", seen: { events: ["1"], end: "open" } },
  {
    what: "a delayed event",
    rule: { ...onSecond, do: { delay: 500 } },
    deed: "watch",
    seen: { events: ["1", "2", "3"], end: "open" },
    atLeast: 490,
  },
  ...(
    [
      ["a webhook that fails", { status: 503 }],
      ["a webhook that is away", { cut: "before" }],
    ] as const
  ).map(
    ([what, fault]): Case => ({
      what,
      rule: { on: { webhook: HOOK }, nth: 1, do: fault },
      deed: "create",
      seen: { ok: false, code: 500, reason: "InternalError" },
    }),
  ),
  {
    what: "a webhook that takes its time",
    rule: { on: { webhook: HOOK }, nth: 1, do: { latency: 400 } },
    deed: "create",
    seen: { ok: true },
    atLeast: 395,
  },
];

describe.each(CLIENTS)("%s", (name) => {
  test.each(cases)("$what", async ({ rule, deed, seen, atLeast = 0, byClient }) => {
    const client = running.get(name);
    if (client === undefined) return;
    const fault = cluster.faults.add(rule);
    const answer = await client.do(deed);
    expect(answer).toMatchObject(byClient?.[name] ?? seen);
    expect(answer.span ?? answer.ms).toBeGreaterThanOrEqual(atLeast);
    expect(fault.hits).toBe(1);
    // And all is well again.
    expect(await client.do("list")).toMatchObject({ ok: true });
  });

  test.each([true, false])("a restart, with history %s", async (history) => {
    const client = running.get(name);
    if (client === undefined) return;
    const before = cluster.server.store.currentRevision() - 1;
    await cluster.restart({ history });
    expect(await client.do("write")).toMatchObject({ ok: true });
    const answer = await fetchWatch(before);
    expect(answer).toBe(history ? "ADDED" : "ERROR");
    expect(await client.do("watch")).toMatchObject({ ok: true, events: ["1", "2", "3"] });
  });
});

/** The first event after a revision. */
async function fetchWatch(revision: number): Promise<string> {
  const stop = new AbortController();
  const { transport } = cluster;
  const query = { watch: "1", resourceVersion: String(revision), timeoutSeconds: "5" };
  const answer = await transport.request({ method: "GET", path: "/api/v1/namespaces/default/configmaps", query, signal: stop.signal });
  for await (const line of answer.lines()) {
    stop.abort();
    return (line as { readonly type: string }).type;
  }
  return "";
}
