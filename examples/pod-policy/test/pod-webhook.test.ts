import { clusterTest } from "@pintle/cluster/vitest";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Namespace, Pod } from "pintle/kinds/core/v1";
import { expect, vi } from "vitest";
import { LABEL, podWebhook } from "../src/pod-webhook.ts";

const test = clusterTest({ operator: { webhooks: [podWebhook] } });
const within = { timeout: 60_000 };
vi.setConfig({ testTimeout: 120_000 });

const restrict = (client: Client, name: string) =>
  client.patch(Namespace, { name }, { merge: { metadata: { labels: { [LABEL]: "restricted" } } } });
const pod = (namespace: string, container: object = {}, rest: object = {}) => ({
  metadata: { name: "a", namespace },
  spec: { containers: [{ name: "c", image: "nginx:1.27", ...container }], ...rest },
});

test("sets a security context and keeps what the pod sets itself", async ({ client, namespace }) => {
  await restrict(client, namespace);
  const { spec } = await client.create(Pod, pod(namespace, {}, { securityContext: { runAsNonRoot: false, fsGroup: 7 } }));
  expect(spec).toMatchObject({
    securityContext: { runAsNonRoot: false, fsGroup: 7, seccompProfile: { type: "RuntimeDefault" } },
    automountServiceAccountToken: false,
  });
});

test.for([
  ["an image without a tag", { image: "nginx" }, /spec\.containers\[0\]\.image.*nginx: must have a tag/],
  ["the tag latest", { image: "example.com:5000/nginx:latest" }, /spec\.containers\[0\]\.image/],
  ["a privileged container", { securityContext: { privileged: true } }, /spec\.containers\[0\]\.securityContext\.privileged.*must not be/],
] as const)("refuses %s", async ([, container, words], { client, namespace }) => {
  await restrict(client, namespace);
  await expect(client.create(Pod, pod(namespace, container))).rejects.toThrow(words);
});

test("warns about containers without a memory limit", async ({ cluster, client, namespace }) => {
  await restrict(client, namespace);
  const warnings: string[] = [];
  const warned = cluster.client({ onWarning: ({ text }) => warnings.push(text) });
  await warned.create(Pod, pod(namespace, { resources: { limits: { memory: "64Mi" } } }));
  expect(warnings).toEqual([]);
  await warned.create(Pod, { ...pod(namespace), metadata: { name: "b", namespace } });
  expect(warnings).toEqual(["spec.containers[0]: has no memory limit"]);
});

test("refuses an image in an update and in an ephemeral container", async ({ client, namespace }) => {
  await restrict(client, namespace);
  const { metadata } = await client.create(Pod, pod(namespace));
  const merge = { spec: { containers: [{ name: "c", image: "nginx:latest" }] } };
  await expect(client.patch(Pod, metadata, { strategic: merge })).rejects.toThrow(/must have a tag/);
  const strategic = { spec: { ephemeralContainers: [{ name: "debug", image: "busybox" }] } };
  const debug = client.subresource("ephemeralcontainers").patch(Pod, metadata, { strategic });
  await expect(debug).rejects.toThrow(/spec\.ephemeralContainers\[0\]\.image/);
});

test("refuses the pods of a Deployment, which reports it", async ({ client, namespace }) => {
  await restrict(client, namespace);
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } };
  const ref = { name: "a", namespace };
  await client.create(Deployment, { metadata: ref, spec: { selector: { matchLabels: labels }, template } });
  const failure = ({ status }: Deployment) => status?.conditions?.find(({ type }) => type === "ReplicaFailure");
  const deployment = await client.waitFor(Deployment, ref, (each) => failure(each) !== undefined, within);
  expect(failure(deployment)?.message).toContain("must have a tag other than latest");
});

test("leaves pods of other namespaces alone", async ({ client, namespace }) => {
  const { spec } = await client.create(Pod, pod(namespace, { image: "nginx" }));
  expect(spec.securityContext?.runAsNonRoot).toBeUndefined();
});
