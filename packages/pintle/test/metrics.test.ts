import { get } from "node:https";
import { context, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { expect, onTestFinished, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { Pod } from "../src/kinds/generated/core/v1.ts";
import { createMetricsRegistry } from "../src/manager/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const watching = controller(Memcached, {
  name: "op",
  watches: { pods: { kind: Pod, by: { label: "for" } } },
  reconcile: ({ related, want }) => want({ status: { nodes: related.pods.map((pod) => pod.metadata.name) } }),
});
const pod = (name: string, owner: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "d", labels: { for: owner } },
  spec: {},
});
const series = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
const namesOf = (text: string) => [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);

test("RT-29, RT-72 the set of metrics is stable", async () => {
  const { manager } = await setupManager([watching]);
  expect(namesOf(manager.metrics.render())).toEqual([
    "controller_runtime_active_workers gauge",
    "controller_runtime_max_concurrent_reconciles gauge",
    "controller_runtime_reconcile_errors_total counter",
    "controller_runtime_reconcile_panics_total counter",
    "controller_runtime_reconcile_time_seconds histogram",
    "controller_runtime_reconcile_timeouts_total counter",
    "controller_runtime_reconcile_total counter",
    "controller_runtime_terminal_reconcile_errors_total counter",
    "leader_election_master_status gauge",
    "pintle_cache_bytes gauge",
    "pintle_cache_lists_total counter",
    "pintle_cache_objects gauge",
    "pintle_cache_own_writes gauge",
    "pintle_cache_poisoned_total counter",
    "pintle_cache_resource_version gauge",
    "pintle_map_errors_total counter",
    "pintle_plan_steps_total counter",
    "pintle_reconcile_reasons_total counter",
    "pintle_unmapped_changes gauge",
    "pintle_watch_age_seconds gauge",
    "rest_client_request_duration_seconds histogram",
    "rest_client_requests_total counter",
    "workqueue_adds_total counter",
    "workqueue_depth gauge",
    "workqueue_longest_running_processor_seconds gauge",
    "workqueue_queue_duration_seconds histogram",
    "workqueue_retries_total counter",
    "workqueue_unfinished_work_seconds gauge",
    "workqueue_work_duration_seconds histogram",
  ]);
});

test("RT-29 buckets are those of controller-runtime and client-go", async () => {
  const { manager } = await setupManager([watching], { before: (s) => s.put("memcacheds", memcached("a")) });
  const text = manager.metrics.render();
  const of = (name: string) => [...text.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"\\}`, "gm"))].map(([, le]) => Number(le));
  const reconciles = of("controller_runtime_reconcile_time_seconds");
  expect([reconciles.length, ...reconciles.slice(0, 4), reconciles.at(-2)]).toEqual([41, 0.005, 0.01, 0.025, 0.05, 60]);
  for (const name of ["workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"])
    expect(of(name).slice(0, 12)).toEqual([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000]);
});

test("RT-39, RT-46 metrics report the reasons of reconciliations and the size and version of the cache", async () => {
  const { server, clock, manager } = await setupManager([watching], { before: (s) => s.put("memcacheds", memcached("a")) });
  server.put("pods", pod("p", "a"));
  await clock.settle();
  server.remove("pods", "d", "p");
  await clock.settle();
  const text = manager.metrics.render();
  for (const line of [
    'pintle_reconcile_reasons_total{controller="op",kind="Memcached",event="listed"} 1',
    'pintle_reconcile_reasons_total{controller="op",kind="Pod",event="added"} 1',
    'pintle_reconcile_reasons_total{controller="op",kind="Pod",event="deleted"} 1',
    `pintle_cache_resource_version{kind="Pod",namespace=""} ${server.revision - 1}`,
    'pintle_cache_lists_total{kind="Pod"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  const bytes = Number(/^pintle_cache_bytes\{kind="Memcached",namespace=""\} (\d+)$/m.exec(text)?.[1]);
  const { length } = JSON.stringify(server.get("memcacheds", "d", "a"));
  expect(Math.abs(bytes - length)).toBeLessThan(10);
});

test("RT-72 10,000 objects add no series, and the log line of a reconciliation has its plan and reasons", async () => {
  const { server, clock, manager, lines } = await setupManager([watching], { before: (s) => s.put("memcacheds", memcached("a")) });
  server.put("pods", pod("first", "a"));
  server.put("memcacheds", memcached("b"));
  await clock.settle();
  const before = series(manager.metrics.render()).length;
  for (let i = 0; i < 10_000; i++) server.put("pods", pod(`p${i}`, i % 2 === 0 ? "a" : "b"));
  await clock.settle();
  expect(series(manager.metrics.render())).toHaveLength(before);
  expect(lines.find((line) => line.reasons?.includes("Pod d/first added"))).toMatchObject({ controller: "op", object: "d/a" });
});

test("RT-29 serves metrics over TLS with a self-signed certificate", async () => {
  const { manager } = await setupManager([watching], { metrics: { address: "127.0.0.1:0", tls: true } });
  const url = `https://127.0.0.1:${manager.ports.metrics}/metrics`;
  const status = await new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
  expect(status).toBe(200);
  await expect(fetch(url)).rejects.toThrow();
});

test("/metrics answers OpenMetrics with the spans of reconciles as exemplars to a client that asks for it, and plain text to others", async () => {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  const { manager } = await setupManager([watching], {
    metrics: { address: "127.0.0.1:0" },
    before: (s) => s.put("memcacheds", memcached("a")),
  });
  const scrape = async (accept: string) => {
    const response = await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`, { headers: { accept } });
    return { type: response.headers.get("content-type"), text: await response.text() };
  };
  const open = await scrape("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2");
  expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(open.text).toMatch(/\n# EOF\n$/);
  expect(open.text).toContain("# TYPE controller_runtime_reconcile counter\n");
  expect(open.text).toContain('controller_runtime_reconcile_total{controller="op",result="success"} 1.0\n');
  const exemplar =
    /^controller_runtime_reconcile_time_seconds_bucket\{controller="op",le="0\.005"\} 1 # \{trace_id="(\w+)",span_id="(\w+)"\} \S+ \d+\.\d{3}$/m;
  const [, traceId, spanId] = exemplar.exec(open.text) ?? [];
  const reconcile = exporter.getFinishedSpans().find(({ name }) => name === "reconcile op");
  expect(reconcile?.spanContext()).toMatchObject({ traceId, spanId });
  const plain = await scrape("*/*");
  expect(plain.type).toBe("text/plain; version=0.0.4; charset=utf-8");
  for (const absent of ["trace_id", "# EOF", "# TYPE controller_runtime_reconcile counter"]) expect(plain.text).not.toContain(absent);
});

test("renders the metrics of a controller with those of the manager", async () => {
  const own = createMetricsRegistry();
  const held = own.gauge("cache_items", "Items that a server holds", ["pod"]);
  const { manager } = await setupManager([{ ...watching, metrics: own }]);
  held.set(["a"], 3);
  held.set(["b"], 4);
  held.remove(["a"]);
  expect(manager.metrics.render()).toContain(
    '# HELP cache_items Items that a server holds\n# TYPE cache_items gauge\ncache_items{pod="b"} 4\n',
  );
  expect(() => held.set([], 1)).toThrow("metric cache_items has the labels pod");
});

test("throws for invalid and duplicate metric names", async () => {
  const own = createMetricsRegistry();
  expect(() => own.counter("cache-items", "")).toThrow(/is not a metric name/);
  own.counter("controller_runtime_reconcile_total", "");
  expect(() => own.gauge("controller_runtime_reconcile_total", "")).toThrow(/two metrics named/);
  await expect(setupManager([{ ...watching, metrics: own }])).rejects.toThrow("two metrics named controller_runtime_reconcile_total");
});
