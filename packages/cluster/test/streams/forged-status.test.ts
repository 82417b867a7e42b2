/** Objects whose status a user has forged: the API server must not be led to itself or to other services of its machine. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "pintle/client";
import { Endpoints, Node, Pod, Service } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { createMachineNode } from "./machine-node.ts";

const TOKENS = {
  viewer: { name: "viewer", groups: [] },
  runner: { name: "runner", groups: [] },
  operator: { name: "operator", groups: ["system:masters"] },
};
const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};
const received: IncomingHttpHeaders[] = [];
const backend = createServer((incoming, response) => {
  received.push(incoming.headers);
  response.writeHead(200, { "access-control-allow-origin": "*", "x-own": "yes" }).end("reached");
});
backend.on("upgrade", (incoming, socket) => {
  received.push(incoming.headers);
  socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
});
let port = 0;
let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  await once(backend.listen(0, "127.0.0.1"), "listening");
  port = (backend.address() as AddressInfo).port;
  cluster = await startCluster({ without: true, plainHttp: true, tokens: TOKENS });
  client = cluster.client();
  cluster.nodeStreams.register("machine", createMachineNode("."));
});
afterAll(async () => {
  await cluster?.stop();
  backend.close();
});

async function createNode(name: string, address: string, kubeletPort: number): Promise<void> {
  const status = { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } };
  await client.create(Node, { metadata: { name }, spec: {}, status } as never);
}
async function createPod(name: string, nodeName: string, ip: string): Promise<void> {
  const ref = { name, namespace: "default" };
  const spec = { nodeName, containers: [{ name: "main", image: "machine" }], automountServiceAccountToken: false };
  await client.create(Pod, { metadata: ref, spec } as never);
  await client.status.patch(Pod, ref, { merge: { status: { phase: "Running", podIP: ip, podIPs: [{ ip }] } } });
}
const send = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ readonly status: number; readonly text: string; readonly headers: IncomingHttpHeaders }>((resolve, reject) => {
    const sent = request(`${cluster.plainUrl}${path}`, { headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on("error", reject).end();
  });

test.each(["127.0.0.1", "localhost", "169.254.169.254", "::1", "0.0.0.0"])("a kubelet at %s is not called", async (address) => {
  const name = `node-${address.replace(/[^a-z0-9]+/g, "-")}x`;
  await createNode(name, address, port);
  await createPod(`on-${name}`, name, "192.0.2.9");
  const pod = `/api/v1/namespaces/default/pods/on-${name}`;
  const before = received.length;
  const responses = await Promise.all([
    send(`/api/v1/nodes/${name}/proxy/api/v1/secrets`),
    send(`${pod}/log`),
    send(`${pod}/exec?command=id&stdout=1`, { ...UPGRADE, "sec-websocket-protocol": "v5.channel.k8s.io" }),
    send(`${pod}/attach?stdout=1`, { ...UPGRADE, "sec-websocket-protocol": "v5.channel.k8s.io" }),
    send(`${pod}/portforward?ports=1`, { ...UPGRADE, "sec-websocket-protocol": "v4.channel.k8s.io" }),
  ]);
  for (const { status, text } of responses) expect([status, text]).toEqual([400, expect.stringContaining("address not allowed")]);
  expect(received.length).toBe(before);
});

test.each([
  ["of a node of this process", "machine"],
  ["of an unknown node", "elsewhere"],
])("a forged address of a pod %s is refused", async (_, node) => {
  await createPod(`forged-${node}`, node, "127.0.0.1");
  const { status, text } = await send(`/api/v1/namespaces/default/pods/forged-${node}:${port}/proxy/`);
  expect([status, text]).toEqual([400, expect.stringContaining("address not allowed")]);
});

test("endpoints that are no pods of the namespace are skipped", async () => {
  const ref = { name: "forged", namespace: "default" };
  await createPod("real", "elsewhere", "192.0.2.10");
  await client.create(Service, { metadata: ref, spec: { ports: [{ port: 80 }] } });
  const at = (ip: string, name?: string) => ({
    ip,
    ...(name === undefined ? {} : { targetRef: { kind: "Pod", name, namespace: "default" } }),
  });
  const addresses = [at("192.0.2.11"), at("192.0.2.12", "real"), at("192.0.2.13", "missing")];
  await client.create(Endpoints, { metadata: ref, subsets: [{ addresses, ports: [{ port }] }] } as never);
  const { status, text } = await send("/api/v1/namespaces/default/services/forged/proxy/");
  expect([status, text]).toEqual([503, expect.stringContaining("no endpoints available for service")]);
});

test("credentials and identities do not reach the backend of a proxy", async () => {
  await createPod("web", "machine", "192.0.2.20");
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from("operator").toString("base64url")}`;
  const headers = {
    "impersonate-user": "operator",
    "impersonate-group": "system:masters",
    "x-remote-user": "admin",
    "x-remote-extra-scopes": "all",
    "proxy-authorization": "Basic eDp4",
    "x-hop": "1",
    connection: "x-hop",
    cookie: "kept=1",
  };
  const path = `/api/v1/namespaces/default/pods/web:${port}/proxy/`;
  const { status, headers: returned } = await send(path, { ...headers, authorization: "Bearer operator" });
  expect([status, returned["x-own"], returned["access-control-allow-origin"]]).toEqual([200, "yes", undefined]);
  const forwarded = received.at(-1)!;
  const sent = Object.keys({ ...headers, authorization: "" }).filter((name) => name !== "connection");
  expect(sent.filter((name) => name in forwarded)).toEqual(["cookie"]);
  await send(path, { ...UPGRADE, "sec-websocket-protocol": `${token}, chat` });
  expect([received.at(-1)!["upgrade"], received.at(-1)!["sec-websocket-protocol"]]).toEqual(["websocket", "chat"]);
});

test.each(["exec?command=id&stdout=1", "attach?stdout=1", "portforward?ports=1"])(
  "%s over a WebSocket requires the verb create",
  async (path) => {
    const [subresource = ""] = path.split("?");
    for (const [user, verbs] of [
      ["viewer", ["get"]],
      ["runner", ["get", "create"]],
    ] as const) {
      const metadata = { name: `${user}-${subresource}` };
      await client.create(ClusterRole, { metadata, rules: [{ apiGroups: [""], resources: [`pods/${subresource}`], verbs }] });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name };
      await client.create(ClusterRoleBinding, { metadata, roleRef, subjects: [{ kind: "User", name: user }] });
    }
    // A permitted request finds no such pod.
    const headers = { ...UPGRADE, "sec-websocket-protocol": "unknown" };
    const url = `/api/v1/namespaces/default/pods/gone/${path}`;
    const refused = await send(url, { ...headers, authorization: "Bearer viewer" });
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([403, 'pods "gone" is forbidden: ']);
    expect((await send(url, { ...headers, authorization: "Bearer runner" })).status).toBe(404);
  },
);
