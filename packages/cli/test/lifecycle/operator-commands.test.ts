import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { openRepository, parseImageReference, pushImage } from "@pintle/lifecycle/internal/image";
import { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind, ExtensionPolicyKind } from "@pintle/lifecycle/manager";
import { defineUntypedKind } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildScratchImage } from "../../src/image/index.ts";
import { type RegistryServer, startLocalLifecycleManager, startRegistryServer } from "../../src/local-cluster/index.ts";
import { createTestProject } from "../test-project.ts";
import { createBundle, createCatalog } from "./bundles.ts";

let cluster: Cluster;
let registry: RegistryServer;
const project = createTestProject();
const kubeconfig = path.join(project.root, "kubeconfig");

/** Runs `pintle operator` on the cluster of the test. */
const operator = (...words: string[]) => project.pintle("operator", ...words, "--kubeconfig", kubeconfig);

async function push(name: string, files: ReadonlyMap<string, Buffer>, labels: Readonly<Record<string, string>> = {}) {
  const reference = parseImageReference(`${registry.host}/${name}`);
  const image = buildScratchImage(
    [...files].map(([file, data]) => ({ path: file, mode: 0o644, data })),
    labels,
  );
  await pushImage(openRepository(reference, { insecure: true, signal: AbortSignal.timeout(30_000) }), image, reference.reference);
}

beforeAll(async () => {
  registry = await startRegistryServer();
  cluster = await startLocalLifecycleManager(await startCluster({ http: true }));
  await cluster.writeKubeconfig(kubeconfig);
  for (const version of ["1.0.0", "1.0.1"]) await push(`bundles/test:v${version}`, createBundle(version));
  await push(
    "bundles/test:v1.0.2",
    createBundle("1.0.2", { isUnschedulable: true, configMaps: ["op-config", "op-new"], fields: { color: { type: "string" } } }),
  );
  const blobs = createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }, { version: "1.0.2", replaces: "1.0.1" }]);
  const text = blobs
    .map((blob) => JSON.stringify(blob))
    .join("\n")
    .replaceAll("example.com/bundles/", `${registry.host}/bundles/`);
  const label = { "operators.operatorframework.io.index.configs.v1": "/configs" };
  await push("catalog:v1", new Map([["configs/catalog.json", Buffer.from(text)]]), label);
  const client = cluster.client();
  await client.create(ClusterCatalogKind, {
    metadata: { name: "community" },
    spec: { source: { type: "Image", image: { ref: `${registry.host}/catalog:v1` } } },
  });
  await client.waitFor(
    ClusterCatalogKind,
    { name: "community" },
    ({ status }) => (status?.conditions ?? []).some(({ type, status: is }) => type === "Serving" && is === "True"),
    { timeout: 30_000 },
  );
}, 60_000);
afterAll(async () => {
  await cluster.stop();
  await registry[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

test("operators are found, installed, explained, upgraded and removed, with images from a registry", async () => {
  expect(await operator("list")).toMatchObject({ code: 0, out: "no extensions. Install one with 'pintle operator install PACKAGE'\n" });
  expect((await operator("search", "te")).out).toMatch(/^PACKAGE +CATALOG.*\ntest +community +beta +3 +beta\n$/);
  expect(JSON.parse((await operator("show", "test", "-o", "json")).out)).toMatchObject([
    { catalog: "community", channel: "beta", bundle: "test.v1.0.0" },
    { catalog: "community", channel: "beta", bundle: "test.v1.0.1", replaces: "test.v1.0.0" },
    { catalog: "community", channel: "beta", bundle: "test.v1.0.2", replaces: "test.v1.0.1" },
  ]);

  const installed = await operator("install", "test", "--version", "1.0.0");
  expect(installed).toMatchObject({ code: 0, err: "" });
  expect(installed.out).toMatch(/^ClusterExtension\/test created\n[\s\S]+\ntest 1\.0\.0 is installed in namespace test-system\n$/u);
  expect(installed.out).toContain("ClusterExtension/test Progressing=True Succeeded: Revision 1.0.0 has rolled out.\n");

  const why = await operator("why", "test");
  expect(why.code).toBe(0);
  expect(why.out).toMatch(/community +test\.v1\.0\.1 +not in the version range\n/);
  expect(why.out).toMatch(/community +test\.v1\.0\.0 +chosen\n/);

  const impossible = await operator("upgrade", "test", "--version", "2.x", "--timeout", "2s");
  expect(impossible.code).toBe(1);
  expect(impossible.err).toContain("waited 2s for ClusterExtension/test: Progressing=True Retrying: error upgrading from");
  expect(impossible.err).toContain("'pintle operator upgrade test --version 2.x'");

  const upgraded = await operator("upgrade", "test", "--version", "1.0.1");
  expect(upgraded).toMatchObject({ code: 0, err: "" });
  expect(upgraded.out).toContain("test 1.0.0 -> 1.0.1 is installed\n");
  const history = JSON.parse((await operator("history", "test", "-o", "json")).out);
  expect(history).toMatchObject([
    { revision: 1, version: "1.0.0", state: "Archived" },
    { revision: 2, version: "1.0.1", state: "Active" },
  ]);
  expect(JSON.parse((await operator("list", "-o", "json")).out)).toMatchObject([
    { name: "test", namespace: "test-system", packageName: "test", version: "1.0.1", state: "Installed" },
  ]);

  const client = cluster.client();
  const before = await client.get(Deployment, { namespace: "test-system", name: "op-manager" });
  const broken = await operator("upgrade", "test", "--version", "1.0.2", "--timeout", "3s");
  expect(broken.err).toContain(
    "waited 3s for ClusterExtension/test: Progressing=True RollingOut: Revision 1.0.2 is rolling out. Continue with",
  );
  const rolledBack = await operator("rollback", "test");
  expect(rolledBack).toMatchObject({ code: 0, err: "" });
  expect(await client.find(ClusterObjectSetKind, { name: "test-3" })).toMatchObject({ spec: { lifecycleState: "Archived" } });
  expect((await client.get(ClusterExtensionKind, { name: "test" })).metadata.annotations ?? {}).toEqual({});
  expect(rolledBack.out).toContain("test 1.0.1 is installed\n");
  const after = await client.get(Deployment, { namespace: "test-system", name: "op-manager" });
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.ownerReferences).toMatchObject([{ name: "test-4", controller: true }]);
  expect(after.spec.template.spec?.nodeSelector).toBeUndefined();
  await client.waitForDeletion(ConfigMap, { namespace: "test-system", name: "op-new" }, { timeout: 20_000 });
  // The default leaves out the revision that failed.
  expect((await operator("rollback", "test")).out).toContain("test 1.0.0 is installed\n");
  // A field that objects could have by now is kept.
  expect(JSON.stringify(await client.get(CustomResourceDefinition, { name: "ops.example.com" }))).toContain('"color"');
  expect((await operator("rollback", "test", "--to", "9")).err).toContain("extension test has no revision 9: it has 5, 4, 3, 2, 1");

  const Op = defineUntypedKind({ group: "example.com", version: "v1", kind: "Op", plural: "ops", scope: "Namespaced" });
  await client.create(Op, { metadata: { name: "one", namespace: "default", finalizers: ["example.com/held"] }, spec: { size: 1 } });
  const refused = await operator("uninstall", "test");
  expect(refused.code).toBe(1);
  expect(refused.out).toBe("ops.example.com  1 object, held by finalizers example.com/held\n");
  expect(refused.err).toContain("1 object of the custom resources of test would be deleted with their CRDs");
  const held = await operator("uninstall", "test", "--delete-objects", "--timeout", "1s");
  expect(held.err).toContain("waited 1s for the deletion of ops.example.com default/one, which the operator must finalize");
  await client.patch(Op, { name: "one", namespace: "default" }, { merge: { metadata: { finalizers: null } } });
  const removed = await operator("uninstall", "test", "--delete-objects");
  expect(removed).toMatchObject({ code: 0, err: "" });
  expect(removed.out).toContain("test is uninstalled; namespace test-system was kept\n");
  expect((await client.list(ClusterObjectSetKind)).items).toEqual([]);
  expect((await client.list(ClusterExtensionKind)).items).toEqual([]);
  expect(await client.find(Namespace, { name: "test-system" })).toBeDefined();
}, 120_000);

test("an upgrade is planned on a fork, waits for approval, and does what was planned", async () => {
  const client = cluster.client();
  await client.create(ExtensionPolicyKind, {
    metadata: { name: "gated" },
    spec: { extensionName: "gated", approval: "ManualAfterFirst", stored: "Check" },
  });
  expect((await operator("install", "test", "--name", "gated", "--version", "1.0.0")).code).toBe(0);
  expect(await operator("plan", "gated")).toMatchObject({ code: 0, out: "gated 1.0.0 is up to date: nothing would change\n" });
  expect((await operator("approve", "gated")).err).toContain(
    "extension gated does not wait for approval: it has Progressing=True Succeeded",
  );
  await cluster.settled();
  const before = cluster.server.store.currentRevision();
  const plan = await operator("plan", "gated", "--version", "1.0.1");
  expect(plan).toMatchObject({ code: 1 });
  expect(plan.out).toMatch(/^gated: 1\.0\.0 -> 1\.0\.1 /);
  expect(plan.out).toContain("Workloads whose pods are replaced\n  Deployment gated-system/op-manager\n");
  expect(plan.out).toContain("rolled out: Progressing=True Succeeded: Revision 1.0.1 has rolled out.");
  expect(
    cluster
      .at(before)
      .diff()
      .filter(({ kind }) => kind !== "Lease" && kind !== "Node" && kind !== "Event"),
  ).toEqual([]);
  const upgrade = await operator("upgrade", "gated", "--version", "1.0.1");
  expect(upgrade.err).toContain("Progressing=False WaitingForApproval: version 1.0.1 waits for approval");
  const digest = /digest (sha256:[0-9a-f]{64})/.exec(plan.out)?.[1] ?? "";
  expect(upgrade.err).toContain(digest);
  expect((await operator("approve", "gated", "--digest", `sha256:${"0".repeat(64)}`)).err).toContain("waits for another plan");
  const approved = await operator("approve", "gated", "--digest", digest, "--yes");
  expect(approved).toMatchObject({ code: 0, err: "" });
  expect(approved.out).toContain("gated 1.0.1 is installed\n");
  await client.patch(ExtensionPolicyKind, { name: "gated" }, { merge: { spec: { removal: "KeepDefinitions" } } });
  await client.waitFor(
    ClusterObjectSetKind,
    { name: "gated-2" },
    ({ metadata }) => metadata.ownerReferences?.[0]?.blockOwnerDeletion === false,
  );
  const removed = await operator("uninstall", "gated", "--yes");
  expect(removed).toMatchObject({ code: 0, err: "" });
  expect(removed.out).toContain("ExtensionPolicy/gated keeps CRDs and their objects\n");
  expect(await client.find(CustomResourceDefinition, { name: "ops.example.com" })).toBeDefined();
  // Without a policy, OLM v1 does not take over what it has not created.
  await client.delete(CustomResourceDefinition, { name: "ops.example.com" });
  await client.waitForDeletion(CustomResourceDefinition, { name: "ops.example.com" });
}, 120_000);

test("a missing package, extension or manager is reported with what to do", async () => {
  expect((await operator("show", "nothing")).err).toContain("Find one with 'pintle operator search'");
  expect((await operator("why", "nothing")).err).toContain("List them with 'pintle operator list'");
  expect((await operator("install")).code).toBe(2);
  await using bare = await startCluster({ http: true });
  const file = path.join(project.root, "bare");
  await bare.writeKubeconfig(file);
  const listed = await project.pintle("operator", "list", "--kubeconfig", file);
  expect(listed).toMatchObject({ code: 1, err: expect.stringContaining("has no lifecycle manager") });
});

test("a bundle is installed and upgraded without a catalog, also with the commands of operator-sdk", async () => {
  const target = ["--kubeconfig", kubeconfig];
  const installed = await project.pintle(
    "run",
    "bundle",
    `${registry.host}/bundles/test:v1.0.0`,
    "--use-http",
    "--timeout",
    "1m",
    ...target,
  );
  expect(installed.err).toMatch(
    /^this command is now: pintle operator install --bundle \S+ --insecure-registry --timeout 60s --kubeconfig /,
  );
  expect(installed.out).toMatch(/\ntest 1\.0\.0 is installed in namespace test-system\n$/);
  const upgraded = await operator("install", "--bundle", `${registry.host}/bundles/test:v1.0.1`, "--insecure-registry", "--timeout", "60s");
  expect(upgraded).toMatchObject({ code: 0, out: expect.stringMatching(/\ntest 1\.0\.1 is installed in namespace test-system\n$/) });
  const catalog = await operator("install", "test");
  expect(catalog).toMatchObject({ code: 1, out: "" });
  expect(catalog.err).toContain("ExtensionPolicy test names the bundle of extension test, ");
  expect(catalog.err).toContain("kubectl patch extensionpolicy test --type merge");
  const back = await operator("rollback", "test");
  expect(back).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ExtensionPolicy\/test configured[\s\S]+\ntest 1\.0\.0 is installed\n$/),
  });
  expect(await operator("install", "test", "--bundle", "a:1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("leave out the argument"),
  });
  expect(await operator("install", "--bundle", "a:1", "--version", "1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("cannot be combined"),
  });
  const removed = await project.pintle("cleanup", "test", ...target);
  expect(removed).toMatchObject({ code: 0, out: expect.stringMatching(/test is uninstalled; namespace test-system was kept\n$/) });
  const client = cluster.client();
  expect(await client.find(ExtensionPolicyKind, { name: "test" })).toBeUndefined();
  for (const name of ["a", "b"]) await client.create(ExtensionPolicyKind, { metadata: { name }, spec: { extensionSelector: {} } });
  const ambiguous = await operator("install", "test");
  expect(ambiguous).toMatchObject({
    code: 1,
    err: expect.stringContaining("extension test is selected by 2 policies: a, b. Nothing was changed"),
  });
}, 120_000);
