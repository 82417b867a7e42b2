import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, type FaultRule, startCluster } from "@pintle/cluster";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtFolder, getBuildState, sourceFolder } from "../clients/build-state.ts";
import { programs } from "../clients/programs.ts";
import { type ClientAction, type ClientProcess, type ClientResult, startClientProcess } from "./program.ts";

const goClient = programs.find(({ name }) => name === "client-go")!;
const { missing, impossible } = getBuildState();
const namespace = "default";
const HOOK = "check.example.com";
const CLIENT_NAMES = ["client-node", "client-go"] as const;
if (impossible.includes(goClient)) console.warn(`\n!!! NOT COMPARED: client-go: ${goClient.tool} is not on PATH, so it was not built\n`);

let cluster: Cluster;
let folder: string;
const running = new Map<string, ClientProcess>();
beforeAll(async () => {
  if (missing.includes(goClient)) throw new Error("client-go is not built. Run: npm run clients:build");
  folder = await mkdtemp(join(tmpdir(), "pintle-faults-"));
  const kubeconfig = join(folder, "kubeconfig");
  cluster = await startCluster({ http: true, without: true });
  await installWebhook(cluster);
  await cluster.writeKubeconfig(kubeconfig);
  running.set(
    "client-node",
    startClientProcess([process.execPath, "--import", "tsx", join(import.meta.dirname, "client-node.ts")], kubeconfig),
  );
  if (!impossible.includes(goClient)) {
    running.set("client-go", startClientProcess(goClient.command(builtFolder(goClient), sourceFolder(goClient)), kubeconfig));
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

/** Installs a validating webhook that allows everything. */
async function installWebhook({ routeService, client }: Cluster): Promise<void> {
  const service = { namespace, name: "hook" };
  routeService(service, async (request) => {
    const {
      apiVersion,
      kind,
      request: reviewRequest,
    } = (await request.json()) as { apiVersion: string; kind: string; request: { uid: string } };
    return Response.json({ apiVersion, kind, response: { uid: reviewRequest.uid, allowed: true } });
  });
  const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE" as const] };
  await client().create(ValidatingWebhookConfiguration, {
    metadata: { name: "hook" },
    webhooks: [{ name: HOOK, clientConfig: { service }, rules: [rule], sideEffects: "None", admissionReviewVersions: ["v1"] }],
  });
}

const onSecondEvent = { on: { verb: "watch", resource: "configmaps", event: "MODIFIED" }, nth: 2 } as const;
const onFirst = (verb: string) => ({ on: { verb, resource: "configmaps" }, nth: 1 }) as const;

interface FaultCase {
  readonly title: string;
  readonly rule: FaultRule;
  readonly action: ClientAction;
  readonly expected: Partial<ClientResult>;
  /** Minimum duration of the request, or between the events, in milliseconds. */
  readonly atLeast?: number;
  /** Expected results that differ by client. */
  readonly byClient?: Partial<Record<(typeof CLIENT_NAMES)[number], Partial<ClientResult>>>;
}

/** Fault rules and the results that clients observe. */
const cases: readonly FaultCase[] = [
  {
    title: "409",
    rule: { ...onFirst("patch"), do: { status: 409 } },
    action: "write",
    expected: { ok: false, code: 409, reason: "Conflict" },
  },
  {
    title: "409 to a create",
    rule: { ...onFirst("create"), do: { status: 409 } },
    action: "create",
    expected: { code: 409, reason: "AlreadyExists" },
  },
  {
    title: "410",
    rule: { ...onFirst("list"), do: { status: 410 } },
    action: "list",
    expected: { ok: false, code: 410, reason: "Expired" },
  },
  {
    title: "410 to a watch",
    rule: { ...onFirst("watch"), do: { status: 410 } },
    action: "watch",
    expected: { ok: false, code: 410, reason: "Expired" },
  },
  {
    title: "429",
    rule: { ...onFirst("patch"), do: { status: 429 } },
    action: "write",
    expected: { ok: false, code: 429, reason: "TooManyRequests" },
  },
  {
    title: "429 with Retry-After",
    rule: { ...onFirst("patch"), do: { status: 429, retryAfter: 1 } },
    action: "write",
    expected: { ok: false, code: 429, retryAfter: 1 },
    // client-go retries by itself.
    byClient: { "client-go": { ok: true } },
  },
  {
    title: "500",
    rule: { ...onFirst("patch"), do: { status: 500 } },
    action: "write",
    expected: { ok: false, code: 500, reason: "InternalError" },
  },
  { title: "latency", rule: { ...onFirst("patch"), do: { latency: 400 } }, action: "write", expected: { ok: true }, atLeast: 395 },
  { title: "cut before", rule: { ...onFirst("create"), do: { cut: "before" } }, action: "create", expected: { ok: false, broken: true } },
  {
    title: "cut mid-response",
    rule: { ...onFirst("create"), do: { cut: "mid-response" } },
    action: "create",
    expected: { ok: false, broken: true },
  },
  {
    title: "a duplicated event",
    rule: { ...onSecondEvent, do: { duplicate: true } },
    action: "watch",
    expected: { events: ["1", "2", "2", "3"], end: "open" },
  },
  {
    title: "a lost event",
    rule: { ...onSecondEvent, do: { drop: "event" } },
    action: "watch",
    expected: { events: ["1", "3"], end: "open" },
  },
  {
    title: "a dropped watch",
    rule: { ...onSecondEvent, do: { drop: "connection" } },
    action: "watch",
    expected: { events: ["1"], end: "ended" },
    // client-go adds an ERROR event.
    byClient: { "client-go": { ok: false, code: 500, reason: "InternalError", events: ["1"] } },
  },
  { title: "a stalled watch", rule: { ...onSecondEvent, do: { stall: true } }, action: "watch", expected: { events: ["1"], end: "open" } },
  {
    title: "a delayed event",
    rule: { ...onSecondEvent, do: { delay: 500 } },
    action: "watch",
    expected: { events: ["1", "2", "3"], end: "open" },
    atLeast: 490,
  },
  ...(
    [
      ["a webhook that fails", { status: 503 }],
      ["an unreachable webhook", { cut: "before" }],
    ] as const
  ).map(
    ([what, fault]): FaultCase => ({
      title: what,
      rule: { on: { webhook: HOOK }, nth: 1, do: fault },
      action: "create",
      expected: { ok: false, code: 500, reason: "InternalError" },
    }),
  ),
  {
    title: "a slow webhook",
    rule: { on: { webhook: HOOK }, nth: 1, do: { latency: 400 } },
    action: "create",
    expected: { ok: true },
    atLeast: 395,
  },
];

describe.each(CLIENT_NAMES)("%s", (name) => {
  test.each(cases)("$title", async ({ rule, action, expected, atLeast = 0, byClient }) => {
    const client = running.get(name);
    if (client === undefined) return;
    const fault = cluster.faults.add(rule);
    const answer = await client.do(action);
    expect(answer).toMatchObject(byClient?.[name] ?? expected);
    expect(answer.span ?? answer.ms).toBeGreaterThanOrEqual(atLeast);
    expect(fault.hits).toBe(1);
    // The next request succeeds.
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

/** Returns the type of the first watch event after a revision. */
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
