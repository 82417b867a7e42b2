/** `/metrics` of the embedded server beside that of kube-apiserver: names, types, labels and buckets; and promtool's judgement. */
import { spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { startCluster } from "@pintle/cluster";
import { controller, startManager } from "pintle";
import { type Client, createClient, createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startControlPlane } from "../real/index.ts";

interface Family {
  readonly type: string;
  readonly labels: ReadonlySet<string>;
  readonly buckets: readonly string[];
}

let ours: string;
let theirs: string;
let operator: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const real = await startControlPlane();
  const cluster = await startCluster();
  stops.push(real.stop, () => cluster.stop());
  const access = await loadClusterAccess({ kubeconfig: real.kubeconfig });
  const transport = await createTransport(access);
  stops.unshift(() => transport.close());
  await sendRequests(createClient(transport));
  await sendRequests(cluster.client());
  theirs = await scrape(transport);
  ours = await scrape(cluster.transport);
  const copies = controller(ConfigMap, { name: "copies", reconcile: async () => {} });
  const manager = startManager({ controllers: [copies], client: cluster.client(), metrics: "127.0.0.1:0" });
  stops.unshift(() => manager.stop());
  await manager.ready;
  await cluster.settled();
  operator = await (await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`)).text();
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

async function sendRequests(client: Client): Promise<void> {
  const ref = { name: "counted", namespace: "default" };
  await client.create(ConfigMap, { metadata: ref });
  await client.apply(ConfigMap, { metadata: ref, data: { a: "b" } });
  await client.list(ConfigMap, { namespace: "default" });
  await client.list(ConfigMap);
  await client.delete(ConfigMap, ref);
}

async function scrape(transport: Transport): Promise<string> {
  return text((await transport.request({ method: "GET", path: "/metrics" })).bytes());
}

function parseFamilies(metrics: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; labels: Set<string>; buckets: string[] }>();
  let current = { type: "", labels: new Set<string>(), buckets: [] as string[] };
  for (const line of metrics.split("\n")) {
    const header = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (header) {
      current = { type: header[2] as string, labels: new Set(), buckets: [] };
      families.set(header[1] as string, current);
    }
    if (line.startsWith("#")) continue;
    for (const [, label = "", value = ""] of line.matchAll(/[{,](\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (label !== "le") current.labels.add(label);
      else if (!current.buckets.includes(value)) current.buckets.push(value);
    }
  }
  return families;
}

/** Families that a kube-apiserver has only after events that this suite does not cause, and those of Node. */
const WITHOUT_COUNTERPART = [
  "apiserver_flowcontrol_current_inqueue_requests",
  "apiserver_flowcontrol_rejected_requests_total",
  "apiserver_request_terminations_total",
  "nodejs_",
];

test("every metric has the type, labels and buckets of kube-apiserver", () => {
  const real = parseFamilies(theirs);
  const own = parseFamilies(ours);
  for (const [name, family] of own) {
    if (WITHOUT_COUNTERPART.some((prefix) => name.startsWith(prefix)) || name.startsWith("apiserver_admission_webhook_")) continue;
    const counterpart = real.get(name);
    expect(counterpart, name).toBeDefined();
    expect(family.type, name).toBe(counterpart?.type);
    if (family.labels.size === 0) continue;
    expect([...family.labels].sort(), name).toEqual([...(counterpart as Family).labels].sort());
    expect(family.buckets.map(Number), name).toEqual(counterpart?.buckets.map(Number));
  }
  expect(own.size).toBeGreaterThan(25);
});

test("the process metrics of an operator have the types of kube-apiserver", () => {
  const real = parseFamilies(theirs);
  const processFamilies = [...parseFamilies(operator)].filter(([name]) => name.startsWith("process_"));
  expect(processFamilies.map(([name]) => name)).toContain("process_cpu_seconds_total");
  for (const [name, { type }] of processFamilies) expect([name, type]).toEqual([name, real.get(name)?.type]);
});

test("the same requests are counted under the same labels", () => {
  const counted = (metrics: string) =>
    metrics.match(/^apiserver_request_total\{.*resource="configmaps",scope="(?!.*APPLY).*(?= \d+$)/gm) ?? [];
  const common = /code="20\d".*scope="(resource".*verb="(POST|DELETE)"|(namespace|cluster)".*verb="LIST")/;
  const own = counted(ours).filter((line) => common.test(line));
  expect(own).toHaveLength(4);
  expect(counted(theirs)).toEqual(expect.arrayContaining(own));
});

const promtool = spawnSync("promtool", ["--version"]).status === 0;
if (!promtool) console.warn("conformance/metrics: promtool is not installed (Debian: prometheus): its check is skipped");

const runPromtool = (input: string) => {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
  return [stdout, stderr, status];
};

test.runIf(promtool)("promtool accepts the metrics of the embedded server", () => {
  expect(runPromtool(ours)).toEqual(["", "", 0]);
});

test.runIf(promtool)("promtool accepts the metrics of an operator", () => {
  expect(operator).toContain("controller_runtime_reconcile_total");
  expect(runPromtool(operator)).toEqual(["", "", 0]);
});
