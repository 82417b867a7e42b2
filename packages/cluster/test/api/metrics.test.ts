import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { startTestApiServer, type TestApiServer } from "./harness.ts";

let api: TestApiServer;
afterEach(() => api[Symbol.asyncDispose]());

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** Returns the samples of a metric, by the labels that are not empty. */
async function scrape(metric: string): Promise<Readonly<Record<string, number>>> {
  const response = await api.cluster.transport.request({ method: "GET", path: "/metrics" });
  expect(response.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await text(response.bytes())).split("\n").filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
  return Object.fromEntries(
    lines.map((line) => {
      const [, labels = "", value] = /^\w+(?:\{(.*)\})? (\S+)$/.exec(line)!;
      return [labels.replace(/\w+="",?|,\w+=""/g, ""), Number(value)];
    }),
  );
}

test("/metrics counts requests by verb, resource, scope, dry run and code", async () => {
  api = await startTestApiServer();
  await api.send("POST", configMaps, configMap("a"));
  await api.send("POST", configMaps, configMap("a"));
  await api.send("POST", `${configMaps}?dryRun=All`, configMap("b"));
  await api.send("PATCH", `${configMaps}/c?fieldManager=t&force=true`, configMap("c"), { type: "application/apply-patch+yaml" });
  await api.send("GET", configMaps);
  await api.send("GET", "/api/v1/configmaps");
  await api.send("GET", "/api/v1/namespaces/default/pods/x/status");
  await api.send("GET", "/livez");
  const counts = await scrape("apiserver_request_total");
  const of = (code: number, scope: string, verb: string) =>
    counts[`code="${code}",component="apiserver",resource="configmaps",scope="${scope}",verb="${verb}",version="v1"`];
  expect(of(201, "resource", "POST")).toBe(1);
  expect(of(409, "resource", "POST")).toBe(1);
  expect(of(201, "resource", "APPLY")).toBe(1);
  expect(of(200, "namespace", "LIST")).toBe(1);
  expect(of(200, "cluster", "LIST")).toBe(1);
  const dryRun = 'code="201",component="apiserver",dry_run="All",resource="configmaps",scope="resource",verb="POST",version="v1"';
  const status = 'code="404",component="apiserver",resource="pods",scope="resource",subresource="status",verb="GET",version="v1"';
  expect(counts).toMatchObject({ [dryRun]: 1, [status]: 1, 'code="200",subresource="/livez",verb="GET"': 1 });
});

test("requests for paths and resources that do not exist create no series", async () => {
  api = await startTestApiServer();
  const before = Object.keys(await scrape("apiserver_request_total"));
  for (const path of ["/nothing", "/api/v1/nothing", "/apis/nothing/v1/things", "/api/v1/namespaces/default/pods/x/nothing"]) {
    await api.send("GET", path);
  }
  const after = Object.keys(await scrape("apiserver_request_total"));
  expect(after.filter((labels) => !before.includes(labels) && labels.includes("nothing"))).toEqual([]);
});

test("/metrics has the durations of requests and admission, open watches, sent events and stored objects", async () => {
  api = await startTestApiServer();
  const watch = await api.watch(`${configMaps}?watch=1`);
  await api.send("POST", configMaps, configMap("a"));
  await watch.takeEvents();
  const labels = 'component="apiserver",resource="configmaps",scope="namespace",verb="WATCH",version="v1"';
  expect(await scrape("apiserver_longrunning_requests")).toMatchObject({ [labels]: 1 });
  expect(await scrape("apiserver_watch_events_total")).toMatchObject({ 'resource="configmaps",version="v1"': 1 });
  expect(await scrape("apiserver_request_total")).not.toHaveProperty(`code="200",${labels}`);
  watch.stop();
  expect(await scrape("apiserver_longrunning_requests")).not.toHaveProperty(labels);
  expect(await scrape("apiserver_request_total")).toHaveProperty([`code="200",${labels}`], 1);

  const created = 'component="apiserver",resource="configmaps",scope="resource",verb="POST",version="v1"';
  expect(await scrape("apiserver_request_duration_seconds_count")).toMatchObject({ [created]: 1 });
  expect(await scrape("apiserver_request_sli_duration_seconds_bucket")).toMatchObject({ [`${created},le="60"`]: 1 });
  expect(await scrape("apiserver_admission_step_admission_duration_seconds_count")).toMatchObject({
    'operation="CREATE",rejected="false",type="admit"': 1,
    'operation="CREATE",rejected="false",type="validate"': 1,
  });
  expect(await scrape("apiserver_resource_objects")).toMatchObject({ 'resource="configmaps"': 3 });
  expect(await scrape("apiserver_storage_objects")).toMatchObject({ 'resource="configmaps"': 3 });
  expect((await scrape("apiserver_storage_size_bytes"))['storage_cluster_id="pintle-0"']).toBeGreaterThan(1000);
  expect((await scrape("apiserver_audit_event_total"))[""]).toBeGreaterThan(5);
  expect(await scrape("apiserver_flowcontrol_nominal_limit_seats")).toMatchObject({ 'priority_level="workload-low"': 245 });
});

test("/metrics needs the right to get the path", async () => {
  api = await startTestApiServer();
  const user = { name: "reader", groups: ["system:authenticated"] };
  const response = await api.cluster.transportAs(user).request({ method: "GET", path: "/metrics" });
  expect(response.status).toBe(403);
});
