import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificateAuthority } from "pintle/tls";
import { afterEach, describe, expect, test } from "vitest";
import { CONFIG_MAPS, startTestApiServer, type TestApiServer } from "../api/harness.ts";
import { buildPatchResponse, buildWebhookConfiguration, MUTATING, serveWebhook, VALIDATING } from "./webhook-fixtures.ts";

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

async function startServer(options: Parameters<typeof startTestApiServer>[0] = {}): Promise<TestApiServer> {
  const api = await startTestApiServer(options);
  open.push(api.cluster);
  return api;
}

describe("a webhook's Service", () => {
  test("is routed to a function in this process", async () => {
    const api = await startServer();
    const { requests } = serveWebhook(api, () => buildPatchResponse({ op: "add", path: "/data", value: { by: "hook" } }));
    await api.send("POST", MUTATING, buildWebhookConfiguration("Mutating"));
    const { status, body } = await api.send("POST", CONFIG_MAPS, configMap("a"));
    expect(status).toBe(201);
    expect(body.data).toEqual({ by: "hook" });
    expect(requests).toMatchObject([{ operation: "CREATE", name: "a", namespace: "default", userInfo: { username: "kubernetes-admin" } }]);
  });

  test("is no longer routed after the route is removed", async () => {
    const api = await startServer();
    const undo = api.cluster.routeService({ namespace: "default", name: "hooks" }, () => Response.json({}));
    await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating"));
    undo();
    const { status, body } = await api.send("POST", CONFIG_MAPS, configMap("a"));
    expect(status).toBe(500);
    expect(body.message).toBe(
      'Internal error occurred: failed calling webhook "one.example.com": failed to call webhook: Post "https://hooks.default.svc:443/ask?timeout=10s": service "hooks" not found',
    );
  });

  test("is routed to a URL on this machine for any port", async () => {
    const api = await startServer();
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      response.writeHead(403, { "content-type": "text/plain" }).end("not you");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push({ stop: () => server.close() });
    api.cluster.routeService(
      { namespace: "default", name: "hooks", port: 443 },
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    );
    await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating"));
    const { body } = await api.send("POST", CONFIG_MAPS, configMap("a"));
    expect(body.message).toContain("failed to call webhook: not you");
    expect(paths).toEqual(["/base/ask?timeout=10s"]);
  });

  test("is resolved by its endpoints, with a certificate for the Service name", async () => {
    const api = await startServer();
    const ca = createCertificateAuthority("hooks", Date.now());
    const keys = ca.issueServerCertificate({ commonName: "hooks" }, ["hooks.default.svc"]);
    const server = createSecureServer({ cert: keys.certificate, key: keys.key }, (_request, response) => {
      response.writeHead(500, { "content-type": "text/plain" }).end("found");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push({ stop: () => server.close() });
    const { port } = server.address() as AddressInfo;
    await api.send("POST", "/api/v1/namespaces/default/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "hooks" },
      spec: { ports: [{ port: 443 }] },
    });
    const caBundle = Buffer.from(ca.certificate).toString("base64");
    const clientConfig = { service: { namespace: "default", name: "hooks" }, caBundle };
    await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating", { clientConfig }));
    expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).body.message).toContain('no endpoints available for service "hooks"');
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "hooks", labels: { "kubernetes.io/service-name": "hooks" } },
      addressType: "IPv4",
      ports: [{ name: "", port, protocol: "TCP" }],
      endpoints: [{ addresses: ["127.0.0.1"] }],
    };
    // Validation refuses loopback addresses in EndpointSlices, so the test writes to the store.
    await api.cluster.server.store.txn("/registry/endpointslices/default/hooks", 0, { put: slice });
    expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).body.message).toContain('an error on the server ("found")');
  });
});

test("times out a webhook by the cluster's clock", async () => {
  const api = await startServer();
  api.cluster.routeService({ namespace: "default", name: "hooks" }, () => new Promise<Response>(() => {}));
  await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating", { timeoutSeconds: 7 }));
  const asking = api.send("POST", CONFIG_MAPS, configMap("a"));
  await api.clock.settle();
  await api.clock.advance(7000);
  expect((await asking).body.message).toContain('?timeout=7s": context deadline exceeded');
});

test("injects faults into webhook calls", async () => {
  const api = await startServer();
  serveWebhook(api, () => ({ allowed: true }));
  await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating"));
  using rule = api.cluster.faults.add({ on: { webhook: "one.example.com" }, do: { status: 503 }, times: 1 });
  expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).body.message).toContain(
    "the server is currently unable to handle the request",
  );
  expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
  expect(rule.hits).toBe(1);
});

test("applies a configuration from the first request after it is written", async () => {
  const api = await startServer();
  serveWebhook(api, () => ({ allowed: false }));
  const { body } = await api.send("POST", VALIDATING, buildWebhookConfiguration("Validating"));
  expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).status).toBe(400);
  await api.send("DELETE", `${VALIDATING}/${body.metadata.name}`);
  expect((await api.send("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
});
