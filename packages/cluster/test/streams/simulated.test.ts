import { text } from "node:stream/consumers";
import { type Client, createClient, hasCondition } from "pintle/client";
import { seededRandom, virtualClock } from "pintle/internal/clock";
import { Namespace, Pod, Service } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { BEHAVIOUR_ANNOTATION, ENDS_AFTER_ANNOTATION, LOGS_ANNOTATION } from "../../src/node/index.ts";

const START = "2026-03-01T12:00:00Z";

/** A simulated node responds to streaming requests with fixed content. */
describe("a simulated node", () => {
  const clock = virtualClock(START);
  let cluster: Cluster;
  let client: Client;
  const at = (name: string) => ({ name, namespace: "apps" });

  const pod = async (name: string, more: { readonly annotations?: Record<string, string>; readonly cpu?: string } = {}) => {
    const requests = more.cpu === undefined ? {} : { requests: { cpu: more.cpu, memory: "64Mi" } };
    await client.create(Pod, {
      metadata: { ...at(name), labels: { app: name }, annotations: more.annotations },
      spec: {
        restartPolicy: more.annotations?.[BEHAVIOUR_ANNOTATION] === "complete" ? "Never" : "Always",
        containers: [{ name: "main", image: "nginx:1.25", ports: [{ containerPort: 80 }], resources: requests }],
      },
    });
    await cluster.settled();
  };
  const raw = async (path: string, accept?: string) => {
    const { pathname, searchParams } = new URL(path, "http://cluster");
    const query = Object.fromEntries(searchParams);
    const answer = await cluster.transport.request({
      method: "GET",
      path: pathname,
      query,
      headers: accept === undefined ? {} : { accept },
    });
    return { status: answer.status, text: await text(answer.bytes()) };
  };

  beforeAll(async () => {
    cluster = await startCluster({ clock, random: seededRandom(1) });
    client = createClient(cluster.transport);
    await client.create(Namespace, { metadata: { name: "apps" } });
    await cluster.settled();
    await pod("web", { cpu: "250m" });
    await client.waitFor(Pod, at("web"), hasCondition("Ready"));
  });
  afterAll(() => cluster.stop());

  it("logs one line for each container at its start", async () => {
    const line = "container main of pod apps/web runs nginx:1.25, simulated\n";
    expect(await text(client.logs(Pod, at("web")))).toBe(line);
    expect(await text(client.logs(Pod, at("web"), { timestamps: true }))).toMatch(/^2026-03-01T12:00:\d\d\.000000000Z container main/);
    expect(await text(client.logs(Pod, at("web"), { tailLines: 0 }))).toBe("");
    expect(await text(client.logs(Pod, at("web"), { limitBytes: 9 }))).toBe("container");
    await expect(text(client.logs(Pod, at("web"), { previous: true }))).rejects.toThrow(
      'previous terminated container "main" in pod "web" not found',
    );
  });

  it("logs the text of an annotation, and ends a followed log with the container", async () => {
    await pod("job", {
      annotations: { [LOGS_ANNOTATION]: "one\ntwo\n", [BEHAVIOUR_ANNOTATION]: "complete", [ENDS_AFTER_ANNOTATION]: "30" },
    });
    const followed = text(client.logs(Pod, at("job"), { follow: true }));
    await cluster.advance(31_000);
    expect(await followed).toBe("one\ntwo\n");
    expect(await text(client.logs(Pod, at("job")))).toBe("one\ntwo\n");
    await expect(client.exec(Pod, at("job"), { command: ["true"] }).then(({ exit }) => exit)).rejects.toThrow(
      'container not found ("main")',
    );
  });

  it("keeps the log of the previous run", async () => {
    await pod("loop", { annotations: { [LOGS_ANNOTATION]: "again", [BEHAVIOUR_ANNOTATION]: "crash-loop", [ENDS_AFTER_ANNOTATION]: "1" } });
    await cluster.advance(2000);
    expect(await text(client.logs(Pod, at("loop"), { previous: true }))).toBe("again\n");
  });

  it.each([
    [["echo", "a", "b"], "", "a b\n", "", 0],
    [["cat"], "typed", "typed", "", 0],
    [["true"], "", "", "", 0],
    [["false"], "", "", "", 1],
    [["sh", "-c", "echo one; exit 7; echo two"], "", "one\n", "", 7],
    [
      ["ls"],
      "",
      "",
      'OCI runtime exec failed: exec failed: unable to start container process: exec: "ls": executable file not found in $PATH: unknown\n',
      127,
    ],
    [["constructor"], "", "", /executable file not found/, 127],
  ])("executes %j", async (command, stdin, out, err, code) => {
    const run = await client.exec(Pod, at("web"), { command, stdin: [stdin] });
    expect([await text(run.stdout), await run.exit]).toEqual([out, code]);
    expect(await text(run.stderr)).toEqual(err instanceof RegExp ? expect.stringMatching(err) : err);
  });

  it("of a fork starts on the first request", async () => {
    await using fork = await cluster.fork();
    expect(await text(createClient(fork.transport).logs(Pod, at("web")))).toMatch(/^container main of pod apps\/web/);
  });

  it("sleeps on the cluster's clock", async () => {
    const run = await client.exec(Pod, at("web"), { command: ["sleep", "3600"] });
    await cluster.advance(3_600_000);
    expect(await run.exit).toBe(0);
  });

  it("serves a page at every container port, through the pod and through a Service", async () => {
    const ports = [{ name: "http", port: 8080, targetPort: 80 }];
    await client.create(Service, { metadata: at("front"), spec: { selector: { app: "web" }, ports } });
    await cluster.settled();
    const page = "pod apps/web, port 80, simulated\n";
    const base = "/api/v1/namespaces/apps";
    for (const path of ["pods/web/proxy/", "pods/web:80/proxy/a?b=c", "services/front:8080/proxy/", "services/front:http/proxy/x"]) {
      expect(await raw(`${base}/${path}`, "text/html"), path).toEqual({ status: 200, text: page });
    }
    expect(await raw(`${base}/services/front:9/proxy/`)).toMatchObject({
      status: 503,
      text: expect.stringContaining('no service port 9 found for service \\"front\\"'),
    });
    expect(await raw(`${base}/services/front/proxy`)).toMatchObject({ status: 301 });
    expect((await raw(`${base}/pods/web:81/proxy/`)).text).toContain("error trying to reach service");
    expect(await raw("/api/v1/nodes/node-1/proxy/healthz")).toEqual({ status: 200, text: "ok" });
  });

  it("reports its requests as usage in metrics.k8s.io", async () => {
    const { text: nodes } = await raw("/apis/metrics.k8s.io/v1beta1/nodes");
    expect(JSON.parse(nodes)).toMatchObject({
      kind: "NodeMetricsList",
      items: [{ kind: "NodeMetrics", metadata: { name: "node-1" }, window: "10s" }],
    });
    const one = JSON.parse((await raw("/apis/metrics.k8s.io/v1beta1/namespaces/apps/pods/web")).text);
    expect(one.containers).toEqual([{ name: "main", usage: { cpu: "250m", memory: "64Mi" } }]);
    const selected = JSON.parse((await raw("/apis/metrics.k8s.io/v1beta1/pods?labelSelector=app%3Dloop")).text);
    expect(selected.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["loop"]);
    expect(JSON.parse((await raw("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods")).text).items).toEqual([]);
    const table = JSON.parse(
      (await raw("/apis/metrics.k8s.io/v1beta1/namespaces/apps/pods/web", "application/json;as=Table;v=v1;g=meta.k8s.io")).text,
    );
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(["Name", "cpu", "memory", "Window"]);
    expect(table.rows[0].cells).toEqual(["web", "250m", "64Mi", "10s"]);
    expect(await raw("/apis/metrics.k8s.io/v1beta1/namespaces/apps/pods/missing")).toMatchObject({
      status: 404,
      text: expect.stringContaining('podmetrics.metrics.k8s.io \\"apps/missing\\" not found'),
    });
  });
});
