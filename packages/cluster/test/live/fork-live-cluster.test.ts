import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, connect } from "pintle/client";
import { defineUntypedKind, type JsonObject } from "pintle/kinds";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Pod, Secret } from "pintle/kinds/core/v1";
import { createCertificateAuthority } from "pintle/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, forkLiveCluster, startCluster } from "../../src/index.ts";

let live: Cluster;
let client: Client;
const Op = defineUntypedKind({ group: "example.com", version: "v1", kind: "Op", plural: "ops", scope: "Namespaced" });
const authority = createCertificateAuthority("real", Date.now());
const issued = authority.issueServerCertificate({ commonName: "web" }, ["web.default.svc", "10.1.2.3"]);
const encode = (text: string) => Buffer.from(text).toString("base64");

beforeAll(async () => {
  live = await startCluster({ http: true });
  const kubeconfig = path.join(mkdtempSync(path.join(tmpdir(), "pintle-live-")), "kubeconfig");
  await live.writeKubeconfig(kubeconfig);
  client = await connect({ kubeconfig });
  const labels = { app: "web" };
  await client.create(Deployment, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await client.create(CustomResourceDefinition, {
    metadata: { name: "ops.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Op", plural: "ops" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } as never },
        },
      ],
    },
  });
  await client.waitFor(CustomResourceDefinition, { name: "ops.example.com" }, ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True"),
  );
  await client.create(Op, { metadata: { name: "one", namespace: "default", finalizers: ["example.com/held"] }, spec: { size: 3 } });
  await client.status.patch(Op, { name: "one", namespace: "default" }, { merge: { status: { ready: true } } });
  const tls = { "tls.crt": encode(issued.certificate), "tls.key": encode(issued.key), "ca.crt": encode(authority.certificate) };
  await client.create(Secret, { metadata: { name: "tls", namespace: "default" }, type: "kubernetes.io/tls", data: tls });
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"aHVudGVyMg=="}}' };
  const data = { password: encode("hunter2"), again: encode("hunter2"), other: encode("other") };
  await client.create(Secret, { metadata: { name: "login", namespace: "default", annotations }, data });
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "outside" },
    webhooks: [
      {
        name: "outside.example.com",
        clientConfig: { url: "https://127.0.0.1:1/never" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
      },
    ],
  });
  await client.waitFor(Deployment, { namespace: "default", name: "web" }, ({ status }) => status?.availableReplicas === 2, {
    timeout: 20_000,
  });
  await live.settled();
}, 60_000);
afterAll(async () => {
  await client.close();
  await live.stop();
});

const isSecret = (key: string) => key.startsWith("/registry/secrets/");

describe("forkLiveCluster", () => {
  test("keeps every object as it is: uid, resourceVersion, generation, owners, status, managed fields and times", async () => {
    await using fork = await forkLiveCluster(client);
    const [there, here] = [live.snapshot().objects.entries, fork.cluster.snapshot().objects.entries];
    const keys = [...there.keys()].filter((key) => !key.startsWith("/registry/events/")).sort();
    expect([...here.keys()].sort()).toEqual(keys);
    for (const key of keys) {
      const [a, b] = [there.get(key)!, here.get(key)!];
      if (isSecret(key)) expect({ ...b.value, data: 0, metadata: 0 }, key).toEqual({ ...a.value, data: 0, metadata: 0 });
      else expect(b.value, key).toEqual(a.value);
      expect([key, b.revision]).toEqual([key, a.revision]);
    }
    expect(fork.report.objects).toBe(keys.length);
  });

  test("commits nothing at rest with all controllers running", async () => {
    await using fork = await forkLiveCluster(client);
    const before = fork.cluster.server.store.currentRevision();
    await fork.cluster.ready;
    await fork.cluster.settled();
    expect(fork.cluster.at(before).diff()).toEqual([]);
    expect(fork.cluster.server.store.currentRevision()).toBe(before);
  });

  test("has no value of a Secret, and certificates and keys that parse and fit together", async () => {
    await using fork = await forkLiveCluster(client, { secretKey: Buffer.alloc(32, 1) });
    const text = [...fork.cluster.snapshot().objects.entries.values()].map((entry) => entry.json()).join("\n");
    for (const value of ["hunter2", encode("hunter2"), issued.key, encode(issued.key), encode(issued.certificate)]) {
      expect(text.includes(value)).toBe(false);
    }
    const inside = fork.cluster.client();
    const { data: login = {} } = await inside.get(Secret, { namespace: "default", name: "login" });
    expect(login["password"]).toBe(login["again"]);
    expect(login["password"]).not.toBe(login["other"]);
    expect(Buffer.from(login["password"]!, "base64").toString()).toMatch(/^[0-9a-f]{64}$/);
    const { data: tls = {} } = await inside.get(Secret, { namespace: "default", name: "tls" });
    const decode = (name: string) => Buffer.from(tls[name]!, "base64").toString();
    const certificate = new X509Certificate(decode("tls.crt"));
    expect(certificate.subjectAltName).toContain("DNS:web.default.svc");
    expect(certificate.subjectAltName).toContain("IP Address:10.1.2.3");
    expect(certificate.checkPrivateKey(createPrivateKey(decode("tls.key")))).toBe(true);
    expect(certificate.verify(new X509Certificate(decode("ca.crt")).publicKey)).toBe(true);
    expect(fork.report.substitutedSecrets).toBeGreaterThanOrEqual(2);
  });

  test("carries changes out by itself: the live cluster is not written to, and its webhooks are not called", async () => {
    await using fork = await forkLiveCluster(client, { nodes: 1 });
    const before = live.server.store.currentRevision();
    const inside = fork.cluster.client();
    await inside.create(ConfigMap, { metadata: { name: "new", namespace: "default" } });
    await inside.patch(Deployment, { namespace: "default", name: "web" }, { merge: { spec: { replicas: 3 } } });
    await fork.cluster.settled();
    await fork.cluster.advance(10_000);
    expect((await inside.list(Pod, { namespace: "default" })).items).toHaveLength(3);
    expect((await client.list(Pod, { namespace: "default" })).items).toHaveLength(2);
    expect((live.at(before).diff() as readonly { kind: string }[]).filter(({ kind }) => kind !== "Lease")).toEqual([]);
  });

  test("reads only the kinds that are asked for, and keeps Secrets that are allowed", async () => {
    await using fork = await forkLiveCluster(client, {
      includeKind: ({ kind }) => kind === "Namespace" || kind === "Secret",
      keepSecret: (secret) => (secret["metadata"] as JsonObject)["name"] === "login",
    });
    const kinds = new Set([...fork.cluster.snapshot().objects.entries.values()].map(({ value }) => value["kind"]));
    expect([...kinds].sort()).toEqual(["Namespace", "Secret"]);
    const { data } = await fork.cluster.client().get(Secret, { namespace: "default", name: "login" });
    expect(data?.["password"]).toBe(encode("hunter2"));
  });

  test("refuses nodes that run processes", async () => {
    await expect(forkLiveCluster(client, { nodes: {} as never })).rejects.toThrow("nodes that run processes are not possible in a fork");
  });
});
