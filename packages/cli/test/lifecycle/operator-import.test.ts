import path from "node:path";
import { startCluster } from "@pintle/cluster";
import { ClusterExtensionKind, installLifecycleManager } from "@pintle/lifecycle/manager";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createTestProject } from "../test-project.ts";

const SUBSCRIPTION = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "cache", namespace: "caches" },
  spec: { name: "memcached-operator", source: "community", sourceNamespace: "olm", channel: "stable", installPlanApproval: "Manual" },
};

const define = (kind: string, plural: string, version: string) => ({
  metadata: { name: `${plural}.operators.coreos.com` },
  spec: {
    group: "operators.coreos.com",
    scope: "Namespaced" as const,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

test("a Subscription in a file becomes a ClusterExtension on standard output, without a cluster", async () => {
  using project = createTestProject({ "sub.yaml": JSON.stringify(SUBSCRIPTION) });
  const { code, out, err } = await project.pintle("operator", "import", "sub.yaml", "--name", "mine");
  expect(code).toBe(0);
  expect(parse(out)).toMatchObject({ kind: "ClusterExtension", metadata: { name: "mine" }, spec: { namespace: "caches" } });
  expect(err).toMatch(/^note: installPlanApproval: Manual becomes a pinned version, but the installed version is not known/);
  const empty = createTestProject({ "other.yaml": "{}" });
  expect(await empty.pintle("operator", "import", "other.yaml")).toMatchObject({
    code: 1,
    err: "error: other.yaml has no Subscription of operators.coreos.com (PINTLE7132)\n",
  });
});

test("a Subscription in a cluster is applied as a ClusterExtension, with what its OperatorGroup says", async () => {
  await using cluster = await startCluster({ http: true });
  using project = createTestProject();
  const kubeconfig = path.join(project.root, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const client = cluster.client();
  const missing = await project.pintle("operator", "import", "cache", "-n", "caches", "--kubeconfig", kubeconfig);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("Subscription caches/cache not found") });
  await installLifecycleManager(client);
  for (const definition of [define("Subscription", "subscriptions", "v1alpha1"), define("OperatorGroup", "operatorgroups", "v1")]) {
    await client.create(CustomResourceDefinition, definition);
    await client.waitFor(CustomResourceDefinition, definition.metadata, ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True"),
    );
  }
  const namespaces = await client.discoverKind("v1", "Namespace");
  await client.create(namespaces, { metadata: { name: "caches" } } as never);
  const subscriptions = await client.discoverKind("operators.coreos.com/v1alpha1", "Subscription");
  await client.create(subscriptions, { ...SUBSCRIPTION, status: { installedCSV: "memcached-operator.v1.2.0" } } as never);
  const groups = await client.discoverKind("operators.coreos.com/v1", "OperatorGroup");
  await client.create(groups, { metadata: { name: "group", namespace: "caches" }, spec: { targetNamespaces: ["a"] } } as never);
  const applied = await project.pintle("operator", "import", "cache", "-n", "caches", "--apply", "--kubeconfig", kubeconfig);
  expect(applied).toMatchObject({ code: 0, out: "ClusterExtension/cache applied. Follow it with 'pintle operator list'\n" });
  expect(applied.err).toContain("note: installPlanApproval: Manual becomes version 1.2.0");
  const { spec } = await client.get(ClusterExtensionKind, { name: "cache" });
  expect(spec).toMatchObject({
    namespace: "caches",
    source: { catalog: { packageName: "memcached-operator", channels: ["stable"], version: "1.2.0" } },
    config: { inline: { watchNamespace: "a" } },
  });
});
