/** The admission plugins that are disabled by default and need a configuration, beside a kube-apiserver with the same one. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { type Cluster, startCluster } from "@pintle/cluster";
import { createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAdmissionConfiguration } from "../../packages/cluster/src/dropin/kube-apiserver/admission-config.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";

const PLUGINS = ["NamespaceAutoProvision", "NamespaceExists", "EventRateLimit", "ImagePolicyWebhook"];

let folder: string;
let backend: Server;
let real: ControlPlane;
let embedded: Cluster;
let theirs: Transport;
const reviews: unknown[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pintle-admission-"));
  backend = createServer(async (request, response) => {
    const review = (await json(request)) as { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
    reviews.push(review.spec);
    const { image } = review.spec.containers[0]!;
    if (image === "broken") response.statusCode = 400;
    const status = { allowed: image === "good", ...(image === "bad" ? { reason: "it is bad" } : {}) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: "imagepolicy.k8s.io/v1alpha1", kind: "ImageReview", status }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => backend.once("listening", resolve));
  const file = await writeConfiguration(`http://127.0.0.1:${(backend.address() as AddressInfo).port}/policy`);
  const serverFlags = [`--admission-control-config-file=${file}`];
  const disable = ["ServiceAccount"];
  real = await startControlPlane({ enableAdmissionPlugins: PLUGINS, disableAdmissionPlugins: disable, serverFlags });
  theirs = await createTransport(await loadClusterAccess({ kubeconfig: real.kubeconfig }));
  const configuration = await readAdmissionConfiguration(file);
  embedded = await startCluster({ without: true, admissionPlugins: { enable: PLUGINS, disable, ...configuration } });
});
afterAll(async () => {
  await theirs?.close();
  await Promise.all([real?.stop(), embedded?.stop()]);
  backend.close();
  await rm(folder, { recursive: true });
});

async function writeConfiguration(server: string): Promise<string> {
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "a", cluster: { server } }],
    users: [{ name: "a", user: {} }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  };
  const limits = { apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", kind: "Configuration" };
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [
      { name: "EventRateLimit", path: "limits.json" },
      { name: "ImagePolicyWebhook", path: "images.json" },
    ],
  };
  const files: Readonly<Record<string, unknown>> = {
    "backend.json": kubeconfig,
    "limits.json": { ...limits, limits: [{ type: "Namespace", qps: 1, burst: 2, cacheSize: 10 }] },
    "images.json": { imagePolicy: { kubeConfigFile: path.join(folder, "backend.json"), allowTTL: 30, denyTTL: 30, retryBackoff: 10 } },
    "configuration.json": configuration,
  };
  for (const [name, value] of Object.entries(files)) await writeFile(path.join(folder, name), JSON.stringify(value));
  return path.join(folder, "configuration.json");
}

/** Sends the request to both servers; returns what kube-apiserver responds, after comparing the responses. */
async function compare(method: "POST" | "GET" | "DELETE", at: string, body?: object) {
  const send = async (transport: Transport) => {
    const { pathname, searchParams } = new URL(at, "http://server");
    const query = Object.fromEntries(searchParams);
    const response = await transport.request({ method, path: pathname, query, body });
    const { message, reason, code } = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, ...(response.status < 300 ? {} : { message, reason, code }) };
  };
  const expected = await send(theirs);
  expect(await send(embedded.transport)).toEqual(expected);
  return expected;
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("NamespaceAutoProvision creates the namespace of a new object, but not for a dry run", async () => {
  await compare("POST", "/api/v1/namespaces/dry/configmaps?dryRun=All", configMap("a"));
  expect((await compare("GET", "/api/v1/namespaces/dry")).status).toBe(404);
  expect((await compare("POST", "/api/v1/namespaces/fresh/configmaps", configMap("a"))).status).toBe(201);
  expect((await compare("GET", "/api/v1/namespaces/fresh")).status).toBe(200);
});

test("NamespaceExists lets writes in existing namespaces pass", async () => {
  expect((await compare("DELETE", "/api/v1/namespaces/fresh/configmaps/a")).status).toBe(200);
});

test("EventRateLimit refuses Events beyond the burst of their namespace", async () => {
  const event = (name: string) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name },
    involvedObject: { kind: "Pod", name: "x", namespace: "default" },
    reason: "Test",
    message: "test",
    type: "Normal",
  });
  const results = [];
  for (const name of ["a", "b", "c"]) results.push((await compare("POST", "/api/v1/namespaces/default/events", event(name))).status);
  expect(results).toEqual([201, 201, 429]);
});

test.each([
  ["good", 201],
  ["bad", 403],
  ["unknown", 403],
])("ImagePolicyWebhook asks the backend about the image %s", async (image, status) => {
  const annotations = { "team.image-policy.k8s.io/ticket": "7", other: "x" };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${image}`, annotations },
    spec: { containers: [{ name: "main", image }] },
  };
  reviews.length = 0;
  expect((await compare("POST", "/api/v1/namespaces/default/pods", pod)).status).toBe(status);
  expect(reviews).toHaveLength(2);
  expect(reviews[0]).toEqual(reviews[1]);
});

test("CertificateSubjectRestriction and the strategies refuse the same certificate signing requests", async () => {
  const request = Buffer.from("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n").toString("base64");
  const spec = { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
  const body = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: "a" }, spec };
  const send = async (transport: Transport) =>
    (await transport.request({ method: "POST", path: "/apis/certificates.k8s.io/v1/certificatesigningrequests", body })).status;
  expect(await send(embedded.transport)).toBe(await send(theirs));
});
