import { gzipSync } from "node:zlib";
import { readBundle, renderBundle } from "@pintle/lifecycle";
import { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind } from "@pintle/lifecycle/manager";
import { systemClock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Secret } from "pintle/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundleImage, createBundle, createCatalog } from "./bundles.ts";
import { conditionOf, createWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
  const { bundles, catalogs } = world.images;
  for (const version of ["1.0.0", "1.0.1", "1.2.0"]) bundles.set(bundleImage(version), createBundle(version));
  bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { configMaps: ["op-config", "op-old"] }));
  catalogs.set("example.com/main:latest", createCatalog(VERSIONS));
});
afterEach(() => world[Symbol.asyncDispose]());

const VERSIONS = [{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }, { version: "1.2.0", replaces: "1.0.1" }];
const deprecation = (reference: JsonObject, message: string) => ({ reference, message });
const isServing = (catalog: Parameters<typeof conditionOf>[0]) => conditionOf(catalog, "Serving").startsWith("True");
const isSucceeded = (object: Parameters<typeof conditionOf>[0]) => conditionOf(object, "Progressing").startsWith("True/Succeeded");

/** Installs version 1.0.0 as `op`. */
async function install(version = "1.0.0") {
  await world.createCatalog("main");
  await world.createExtension("op", { version });
  return world.waitForExtension("op", (extension) => extension.status?.install?.bundle.version === version && isSucceeded(extension));
}

async function upgrade(version: string) {
  await world.client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version } } } } });
}

describe("ClusterCatalog", () => {
  test("is served once its image is read: conditions, source, URL, finalizer and label are those of catalogd", async () => {
    await world.startManager();
    await world.createCatalog("main");
    const catalog = await world.waitForCatalog("main", isServing);
    expect(conditionOf(catalog, "Serving")).toBe("True/Available: Serving desired content from resolved source");
    expect(conditionOf(catalog, "Progressing")).toBe("True/Succeeded: Successfully unpacked and stored content from resolved source");
    expect(catalog.status).toMatchObject({
      resolvedSource: { type: "Image", image: { ref: `example.com/main@sha256:${"ab".repeat(32)}` } },
      urls: { base: "https://catalogd-service.olmv1-system.svc/catalogs/main" },
      lastUnpacked: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(catalog.metadata).toMatchObject({
      finalizers: ["olm.operatorframework.io/delete-server-cache"],
      labels: { "olm.operatorframework.io/metadata.name": "main" },
    });
  });

  test("is taken out of service with availabilityMode Unavailable, and served again after it", async () => {
    await world.startManager();
    await world.createCatalog("main");
    await world.waitForCatalog("main", isServing);
    const set = (availabilityMode: string) =>
      world.client.patch(ClusterCatalogKind, { name: "main" }, { merge: { spec: { availabilityMode } } });
    await set("Unavailable");
    const catalog = await world.waitForCatalog("main", (each) => !isServing(each) && each.metadata.finalizers === undefined);
    const text = "Catalog availability mode is set to Unavailable";
    expect(conditionOf(catalog, "Serving")).toBe(`False/UserSpecifiedUnavailable: ${text}`);
    expect(conditionOf(catalog, "Progressing")).toBe(`True/Succeeded: ${text}`);
    expect(Object.keys(catalog.status!)).toEqual(["conditions"]);
    await set("Available");
    await world.waitForCatalog("main", isServing);
  });

  test("is retried while its image cannot be read, and while its content is not valid", async () => {
    await world.startManager();
    await world.createCatalog("missing");
    const missing = await world.waitForCatalog("missing", (each) => conditionOf(each, "Progressing") !== "none");
    expect(conditionOf(missing, "Progressing")).toBe(
      "True/Retrying: source catalog content: reading manifest of example.com/missing:latest: manifest unknown",
    );
    world.images.catalogs.set("example.com/invalid:latest", [{ schema: "olm.channel", name: 1 }]);
    await world.createCatalog("invalid");
    const invalid = await world.waitForCatalog("invalid", (each) => conditionOf(each, "Progressing") !== "none");
    expect(conditionOf(invalid, "Progressing")).toMatch(/^True\/Retrying: error storing fbc: /);
    world.images.catalogs.set("example.com/missing:latest", createCatalog(VERSIONS));
    await world.waitForCatalog("missing", isServing);
  });

  test("loses its content before it is deleted", async () => {
    const manager = await world.startManager();
    await world.createCatalog("main");
    await world.waitForCatalog("main", isServing);
    expect(await manager.catalogs.has("main")).toBe(true);
    await world.client.delete(ClusterCatalogKind, { name: "main" });
    await world.client.waitForDeletion(ClusterCatalogKind, { name: "main" }, { timeout: 10_000 });
    expect(await manager.catalogs.has("main")).toBe(false);
  });
});

describe("Helm releases of older versions of OLM v1", () => {
  /** What operator-controller stores for a release: compressed JSON in Secrets, of which the first names the others. */
  const storeRelease = async (release: JsonObject, { version, status }: { version: number; status: string }) => {
    const data = gzipSync(JSON.stringify(release));
    const key = `sh.helm.release.v1.op.v${version}`;
    const [first, second] = [data.subarray(0, 100), data.subarray(100)].map((part) => part.toString("base64"));
    const metadata = {
      name: key,
      namespace: "olmv1-system",
      labels: { owner: "operator-controller", name: "op", status, version: String(version) },
    };
    const extraChunks = Buffer.from(JSON.stringify([`${key}-more`])).toString("base64");
    await world.client.create(Secret, { metadata, type: "operatorframework.io/index.v1", data: { extraChunks, chunk: first! } });
    await world.client.create(Secret, {
      metadata: { name: `${key}-more`, namespace: "olmv1-system" },
      type: "operatorframework.io/chunk.v1",
      data: { chunk: second! },
    });
  };
  const PREFIX = "olm.operatorframework.io";

  test("are adopted once: the bundle counts as installed, and no object is created again, also not by an upgrade", async () => {
    await world.createCatalog("main");
    const { metadata } = await world.createExtension("op", { version: "1.0.0" });
    const owner = { apiVersion: `${PREFIX}/v1`, kind: "ClusterExtension", name: "op", uid: metadata.uid, controller: true };
    const objects = renderBundle(readBundle(createBundle("1.0.0")), { namespace: "ops" });
    const applied: JsonObject[] = [];
    for (const object of objects) {
      const kind = await world.client.discoverKind(String(object["apiVersion"]), String(object["kind"]));
      const own = object["metadata"] as JsonObject;
      applied.push((await world.client.create(kind, { ...object, metadata: { ...own, ownerReferences: [owner] } } as never)) as never);
    }
    const labels = {
      [`${PREFIX}/bundle-name`]: "test.v1.0.0",
      [`${PREFIX}/bundle-version`]: "1.0.0",
      [`${PREFIX}/package-name`]: "test",
      [`${PREFIX}/bundle-reference`]: bundleImage("1.0.0"),
    };
    await storeRelease(
      { name: "op", manifest: objects.map((object) => JSON.stringify(object)).join("\n"), labels },
      { version: 3, status: "deployed" },
    );
    await storeRelease({ name: "op", manifest: "", labels: {} }, { version: 4, status: "failed" });
    await world.startManager();
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.0.0" && isSucceeded(each));
    const adopted = await world.client.get(ClusterObjectSetKind, { name: "op-1" });
    expect(adopted.metadata.labels).toMatchObject({ [`${PREFIX}/migrated-from-helm`]: "true" });
    expect(adopted.spec.collisionProtection).toBe("None");
    await upgrade("1.0.1");
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.0.1" && isSucceeded(each));
    for (const { apiVersion, kind, metadata } of applied as never as {
      apiVersion: string;
      kind: string;
      metadata: { name: string; uid: string };
    }[]) {
      const live = await world.client.find(await world.client.discoverKind(apiVersion, kind), metadata as never);
      // Names of roles follow from the bundle, so that an upgrade replaces those.
      if (!kind.startsWith("ClusterRole")) expect([kind, live?.metadata.uid]).toEqual([kind, metadata.uid]);
    }
    const { items } = await world.client.list(ClusterObjectSetKind);
    expect(items.filter((each) => each.metadata.labels?.[`${PREFIX}/migrated-from-helm`] !== undefined)).toHaveLength(1);
  });

  test("that cannot be read are reported, and nothing is installed over them", async () => {
    await world.createCatalog("main");
    await world.createExtension("op", { version: "1.0.0" });
    await storeRelease({ name: "op", labels: {} }, { version: 1, status: "deployed" });
    await world.startManager();
    const failed = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing") !== "none");
    expect(conditionOf(failed, "Progressing")).toBe(
      "True/Retrying: migrating storage: reading the Helm release in Secret olmv1-system/sh.helm.release.v1.op.v1: it has no manifest",
    );
    expect(conditionOf(failed, "Installed")).toMatch(/^Unknown\/Failed/);
    expect((await world.client.list(ClusterObjectSetKind)).items).toEqual([]);
  });
});

describe("ClusterExtension", () => {
  test("is installed: status, finalizers and revision are those of operator-controller", async () => {
    await world.startManager();
    await install();
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "Deprecated").startsWith("False"));
    expect(extension.metadata.finalizers?.toSorted()).toEqual([
      "olm.operatorframework.io/cleanup-contentmanager-cache",
      "olm.operatorframework.io/cleanup-unpack-cache",
    ]);
    const types = ["Installed", "Progressing", "Available", "Deprecated", "PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"];
    expect(Object.fromEntries(types.map((type) => [type, conditionOf(extension, type)]))).toEqual({
      Installed: "True/Succeeded: Installed bundle example.com/bundles/test:v1.0.0 successfully",
      Progressing: "True/Succeeded: Revision 1.0.0 has rolled out.",
      Available: "True/ProbesSucceeded: Objects are available and pass all probes.",
      Deprecated: "False/NotDeprecated: not deprecated",
      PackageDeprecated: "False/NotDeprecated: package not deprecated",
      ChannelDeprecated: "False/NotDeprecated: channel not deprecated",
      BundleDeprecated: "False/NotDeprecated: bundle not deprecated",
    });
    expect(extension.status).toMatchObject({
      install: { bundle: { name: "test.v1.0.0", version: "1.0.0" } },
      activeRevisions: [{ name: "op-1" }],
    });
    const revision = await world.client.get(ClusterObjectSetKind, { name: "op-1" });
    expect(revision.metadata).toMatchObject({
      labels: { "olm.operatorframework.io/owner-kind": "ClusterExtension", "olm.operatorframework.io/owner-name": "op" },
      annotations: {
        "olm.operatorframework.io/bundle-name": "test.v1.0.0",
        "olm.operatorframework.io/bundle-version": "1.0.0",
        "olm.operatorframework.io/bundle-reference": "example.com/bundles/test:v1.0.0",
        "olm.operatorframework.io/package-name": "test",
      },
      finalizers: ["olm.operatorframework.io/teardown"],
      ownerReferences: [{ kind: "ClusterExtension", name: "op", controller: true, blockOwnerDeletion: true }],
    });
    expect(revision.spec.phases?.map(({ name }) => name)).toEqual(["identity", "configuration", "crds", "roles", "bindings", "deploy"]);
    const { items: secrets } = await world.client.list(Secret, { namespace: "olmv1-system" });
    const [secret] = secrets.filter(({ type }) => type === "olm.operatorframework.io/object-data");
    expect(secret).toMatchObject({
      immutable: true,
      metadata: {
        name: expect.stringMatching(/^op-1-[0-9a-f]{16}$/),
        labels: { "olm.operatorframework.io/revision-name": "op-1", "olm.operatorframework.io/owner-name": "op" },
        ownerReferences: [{ kind: "ClusterObjectSet", name: "op-1", uid: revision.metadata.uid, controller: true }],
      },
    });
  });

  test("gives its objects an owner, marks, and one field manager that applies", async () => {
    await world.startManager();
    await install();
    const deployment = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(deployment.metadata).toMatchObject({
      labels: {
        "olm.operatorframework.io/owner-kind": "ClusterExtension",
        "olm.operatorframework.io/owner-name": "op",
        "app.kubernetes.io/managed-by": "olm.operatorframework.io",
      },
      annotations: { "olm.operatorframework.io/revision": "1", "olm.operatorframework.io/bundle-version": "1.0.0" },
      ownerReferences: [{ kind: "ClusterObjectSet", name: "op-1", controller: true, blockOwnerDeletion: true }],
    });
    const managers = deployment.metadata.managedFields?.map(({ manager, operation, subresource }) => [manager, operation, subresource]);
    expect(managers).toContainEqual(["olm.operatorframework.io", "Apply", undefined]);
    expect(managers).not.toContainEqual(["olm.operatorframework.io", "Update", undefined]);
  });

  test("is upgraded: objects keep their uid, go to the new revision, and are removed if it has them not", async () => {
    await world.startManager();
    await install();
    const before = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    await upgrade("1.0.1");
    const extension = await world.waitForExtension(
      "op",
      (each) => each.status?.install?.bundle.version === "1.0.1" && each.status.activeRevisions?.length === 1,
    );
    expect(extension.status?.activeRevisions).toEqual([{ name: "op-2" }]);
    const archived = await world.waitForRevision("op-1", (each) => conditionOf(each, "Progressing").includes("Archived"));
    expect(conditionOf(archived, "Progressing")).toBe("False/Archived: revision is archived");
    expect(conditionOf(archived, "Available")).toBe("Unknown/Archived: revision is archived");
    await world.waitForRevision("op-1", ({ metadata }) => metadata.finalizers === undefined);
    const after = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.annotations).toMatchObject({ "olm.operatorframework.io/revision": "2" });
    expect(after.metadata.ownerReferences).toMatchObject([{ name: "op-2", controller: true }]);
    expect(await world.client.find(ConfigMap, { namespace: "ops", name: "op-old" })).toBeUndefined();
    expect((await world.client.get(ConfigMap, { namespace: "ops", name: "op-config" })).data).toEqual({ version: "1.0.1" });
  });

  test("cannot skip a version that the catalog does not, unless it is self-certified", async () => {
    await world.startManager();
    await install();
    await upgrade("1.2.0");
    const refused = await world.waitForExtension("op", (each) => !isSucceeded(each));
    expect(conditionOf(refused, "Progressing")).toBe(
      'True/Retrying: error upgrading from currently installed version "1.0.0": no bundles found for package "test" matching version "1.2.0"',
    );
    expect(conditionOf(refused, "Installed")).toMatch(/^True\/Succeeded/);
    const merge = { spec: { source: { catalog: { upgradeConstraintPolicy: "SelfCertified" } } } };
    await world.client.patch(ClusterExtensionKind, { name: "op" }, { merge });
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.2.0");
  });

  test("waits with Absent while its first revision rolls out, and with Unknown deprecations", async () => {
    world.images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { isUnschedulable: true }));
    await world.startManager();
    await world.createCatalog("main");
    await world.createExtension("op", { version: "1.0.0" });
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes("RollingOut"));
    expect(conditionOf(extension, "Progressing")).toBe("True/RollingOut: Revision 1.0.0 is rolling out.");
    expect(conditionOf(extension, "Installed")).toBe("False/Absent: No bundle installed");
    const unknown = await world.waitForExtension("op", (each) => conditionOf(each, "Deprecated").startsWith("Unknown"));
    expect(conditionOf(unknown, "Deprecated")).toBe(
      "Unknown/DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable",
    );
    expect(conditionOf(unknown, "BundleDeprecated")).toBe("Unknown/Absent: no bundle installed yet");
    const revision = await world.waitForRevision("op-1", (each) => conditionOf(each, "Available").includes("is False"));
    expect(conditionOf(revision, "Available")).toMatch(
      /^False\/ProbeFailure: Object Deployment\.apps\/v1 ops\/op-manager: .*\.status\.condition\["Available"\] is False/,
    );
    expect(unknown.status?.activeRevisions?.map(({ name }) => name)).toEqual(["op-1"]);
  });

  test("is reported as failed once its deadline has passed", async () => {
    world.images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { isUnschedulable: true }));
    await world.startManager({ clock: { ...systemClock, now: () => systemClock.now() + 11 * 60_000 } });
    await world.createCatalog("main");
    await world.createExtension("op", { version: "1.0.0" }, { progressDeadlineMinutes: 10 });
    const isExceeded = (each: Parameters<typeof conditionOf>[0]) => conditionOf(each, "Progressing").includes("Exceeded");
    const text =
      "False/ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s). Last status: Revision 1.0.0 is rolling out.";
    expect(conditionOf(await world.waitForRevision("op-1", isExceeded), "Progressing")).toBe(text);
    expect(conditionOf(await world.waitForExtension("op", isExceeded), "Progressing")).toBe(text);
  });

  test("names the catalogs between which it cannot choose, and chooses by priority", async () => {
    world.images.catalogs.set("example.com/extra:latest", createCatalog(VERSIONS));
    await world.startManager();
    await world.createCatalog("main");
    await world.createCatalog("extra");
    for (const name of ["main", "extra"]) await world.waitForCatalog(name, isServing);
    await world.createExtension("op");
    const both = 'True/Retrying: found bundles for package "test" in multiple catalogs with the same priority [extra main]';
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing") === both);
    expect(conditionOf(extension, "Installed")).toBe("False/Failed: No bundle installed");
    await world.client.patch(ClusterCatalogKind, { name: "extra" }, { merge: { spec: { priority: 1 } } });
    await world.waitForExtension("op", isSucceeded);
  });

  test("waits for all catalogs that it may be installed from", async () => {
    await world.startManager();
    await world.createCatalog("missing");
    await world.createExtension("op");
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes("missing"));
    expect(conditionOf(extension, "Progressing")).toBe(
      'True/Retrying: error walking catalogs: error getting package "test" from catalog "missing": catalog "missing" is not being served',
    );
  });

  test("reports deprecations of package, channel and installed bundle", async () => {
    const entries = [
      deprecation({ schema: "olm.package" }, "the package is old"),
      deprecation({ schema: "olm.channel", name: "beta" }, "the channel is old"),
      deprecation({ schema: "olm.bundle", name: "test.v1.0.0" }, "the bundle is old"),
    ];
    world.images.catalogs.set(
      "example.com/main:latest",
      createCatalog(VERSIONS, [{ schema: "olm.deprecations", package: "test", entries }]),
    );
    await world.startManager();
    await install();
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "BundleDeprecated").startsWith("True"));
    expect(conditionOf(extension, "Deprecated")).toBe("True/Deprecated: the package is old\nthe channel is old\nthe bundle is old");
    expect(conditionOf(extension, "PackageDeprecated")).toBe("True/Deprecated: the package is old");
    expect(conditionOf(extension, "ChannelDeprecated")).toBe("True/Deprecated: the channel is old");
    expect(conditionOf(extension, "BundleDeprecated")).toBe("True/Deprecated: the bundle is old");
  });

  test("refuses bundles with dependencies, without AllNamespaces, and that cannot be pulled", async () => {
    const required = { type: "olm.package.required", value: { packageName: "other", versionRange: "1.x" } };
    world.images.catalogs.set(
      "example.com/main:latest",
      createCatalog([{ version: "1.0.0", properties: [required] }, { version: "2.0.0" }, { version: "3.0.0" }]),
    );
    world.images.bundles.set(bundleImage("2.0.0"), createBundle("2.0.0", { installModes: ["OwnNamespace"] }));
    await world.startManager();
    await world.createCatalog("main");
    await world.waitForCatalog("main", isServing);
    await world.createExtension("op", { version: "1.0.0" });
    const progressing = async (part: string) =>
      conditionOf(await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes(part)), "Progressing");
    expect(await progressing("dependency")).toBe(
      'True/Retrying: validating bundle "test.v1.0.0": bundle "test.v1.0.0" has a dependency declared via property "olm.package.required" which is currently not supported',
    );
    await upgrade("2.0.0");
    expect(await progressing("unsupported")).toBe(
      'True/Retrying: error for resolved bundle "test.v2.0.0" with version "2.0.0": unsupported bundle: bundle does not support AllNamespaces install mode',
    );
    await upgrade("3.0.0");
    expect(await progressing("manifest")).toBe(
      'True/Retrying: error for resolved bundle "test.v3.0.0" with version "3.0.0": reading manifest of example.com/bundles/test:v3.0.0: manifest unknown',
    );
  });

  test("is blocked by a configuration that the bundle does not accept, and installed with one that it does", async () => {
    world.images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { installModes: ["OwnNamespace"] }));
    await world.startManager({ gates: { SingleOwnNamespaceInstallSupport: true } });
    await world.createCatalog("main");
    await world.createExtension("op", { version: "1.0.0" });
    const blocked = async (part: string) =>
      conditionOf(await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes(part)), "Progressing");
    const prefix =
      'False/InvalidConfiguration: error for resolved bundle "test.v1.0.0" with version "1.0.0": invalid ClusterExtension configuration: invalid configuration: ';
    expect(await blocked("missing")).toBe(`${prefix}required field "watchNamespace" is missing`);
    const configure = (inline: object) =>
      world.client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { config: { configType: "Inline", inline } } } });
    await configure({ watchNamespace: "some-ns" });
    expect(await blocked("some-ns")).toContain('invalid value "some-ns": must be "ops"');
    await configure({ watchNamespace: "ops" });
    await world.waitForExtension("op", isSucceeded);
    const { spec } = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(spec.template.metadata?.annotations).toMatchObject({ "olm.targetNamespaces": "ops" });
  });

  test("refuses to replace a CRD unsafely, unless the check is off", async () => {
    world.images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { sizeType: "string" }));
    await world.startManager();
    await install();
    await upgrade("1.0.1");
    const refused = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes("validating upgrade"));
    expect(conditionOf(refused, "Progressing")).toBe(
      'True/Retrying: error for resolved bundle "test.v1.0.1" with version "1.0.1": validating upgrade for CRD "ops.example.com": v1: ^.spec.size: type: type changed : "integer" -> "string"',
    );
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
    const merge = { spec: { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } } };
    await world.client.patch(ClusterExtensionKind, { name: "op" }, { merge });
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.0.1");
  });

  test("repairs its objects, also after its catalog was deleted", async () => {
    await world.startManager();
    await install();
    await world.client.delete(ConfigMap, { namespace: "ops", name: "op-config" });
    await world.client.waitFor(ConfigMap, { namespace: "ops", name: "op-config" }, () => true, { timeout: 10_000 });
    await world.client.delete(ClusterCatalogKind, { name: "main" });
    await world.client.waitForDeletion(ClusterCatalogKind, { name: "main" }, { timeout: 10_000 });
    await world.client.patch(ConfigMap, { namespace: "ops", name: "op-config" }, { merge: { data: { version: "changed", own: "kept" } } });
    const repaired = await world.client.waitFor(
      ConfigMap,
      { namespace: "ops", name: "op-config" },
      ({ data }) => data?.["version"] === "1.0.0",
      { timeout: 10_000 },
    );
    expect(repaired.data).toEqual({ version: "1.0.0", own: "kept" });
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "Deprecated").startsWith("Unknown"));
    expect(conditionOf(extension, "Installed")).toMatch(/^True\/Succeeded/);
    expect(conditionOf(extension, "BundleDeprecated")).toBe(
      "Unknown/DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable",
    );
  });

  test("reports that its objects belong to another extension, and leaves them to it", async () => {
    await world.startManager();
    await install();
    await upgrade("1.0.1");
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.0.1" && isSucceeded(each));
    await world.createExtension("dup", { version: "1.0.1" });
    const collided = await world.waitForExtension("dup", (each) => conditionOf(each, "Progressing").includes("collisions"));
    const text = conditionOf(collided, "Progressing");
    expect(text).toContain('True/Retrying: revision object collisions in phase 0\nObject ServiceAccount.v1 ops/op\nAction: "Collision"\n');
    expect(text).toContain("Conflicting Owner: &OwnerReference{Kind:ClusterObjectSet,Name:op-2,");
    expect(conditionOf(collided, "Installed")).toBe("False/Failed: No bundle installed");
    const deployment = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(deployment.metadata.ownerReferences).toMatchObject([{ name: "op-2", controller: true }]);
  });

  test("passes the properties of its bundle on to the revision", async () => {
    const properties = [{ type: "olm.test-property", value: "some-value" }];
    world.images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { properties }));
    await world.startManager();
    await install();
    const { metadata } = await world.client.get(ClusterObjectSetKind, { name: "op-1" });
    expect(metadata.annotations?.["olm.properties"]).toBe('[{"type":"olm.test-property","value":"some-value"}]');
  });

  test("is deleted with everything that it installed", async () => {
    await world.startManager();
    await install();
    await world.client.delete(ClusterExtensionKind, { name: "op" });
    await world.client.waitForDeletion(ClusterExtensionKind, { name: "op" }, { timeout: 10_000 });
    await world.client.waitForDeletion(ClusterObjectSetKind, { name: "op-1" }, { timeout: 20_000 });
    await world.client.waitForDeletion(Deployment, { namespace: "ops", name: "op-manager" }, { timeout: 20_000 });
    await world.client.waitForDeletion(CustomResourceDefinition, { name: "ops.example.com" }, { timeout: 20_000 });
  });

  test("warns of the ignored ServiceAccount", async () => {
    const warnings: string[] = [];
    const client = world.cluster.client({ onWarning: ({ text }) => warnings.push(text) });
    await client.create(ClusterExtensionKind, {
      metadata: { name: "op" },
      spec: { namespace: "ops", serviceAccount: { name: "sa" }, source: { sourceType: "Catalog", catalog: { packageName: "test" } } },
    });
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'clusterextension-serviceaccount-deprecated' with binding 'clusterextension-serviceaccount-deprecated': spec.serviceAccount is deprecated, ignored, and will be removed in a future release. The operator-controller's cluster-admin service account is used for all cluster interactions.",
    ]);
  });

  test("is left as it is by a new manager", async () => {
    const first = await world.startManager();
    await install();
    await world.waitForExtension("op", (each) => conditionOf(each, "Deprecated").startsWith("False"));
    await first.stop();
    const before = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    await world.startManager();
    await world.waitForCatalog("main", isServing);
    await upgrade("1.0.1");
    await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === "1.0.1");
    const after = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect((await world.client.get(ClusterObjectSetKind, { name: "op-1" })).metadata.generation).toBe(2);
  });
});

describe("ClusterObjectSet", () => {
  const configMap = (name: string, data: object = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "ops" },
    data,
  });
  const phase = (name: string, ...objects: object[]) => ({ name, objects: objects.map((object) => ({ object })) });
  const create = (spec: object) =>
    world.client.create(ClusterObjectSetKind, {
      metadata: { name: "set" },
      spec: { lifecycleState: "Active", collisionProtection: "Prevent", revision: 1, ...spec },
    });

  test("of a user is rolled out without an extension, one phase after the other", async () => {
    await world.startManager();
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "claim", namespace: "ops" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", volumeName: "none", resources: { requests: { storage: "1Mi" } } },
    };
    const bound = { type: "FieldValue", fieldValue: { fieldPath: "status.phase", value: "Bound" } };
    const groupKind = { group: "", kind: "PersistentVolumeClaim" };
    await create({
      phases: [phase("pvc", claim), phase("configmap", configMap("late"))],
      progressionProbes: [{ selector: { type: "GroupKind", groupKind }, assertions: [bound] }],
    });
    const waiting = await world.waitForRevision("set", (each) => conditionOf(each, "Available").includes("Pending"));
    expect(conditionOf(waiting, "Available")).toBe(
      'False/ProbeFailure: Object PersistentVolumeClaim.v1 ops/claim: value at key "status.phase" != "Bound"; expected: "Bound" got: "Pending"',
    );
    expect(conditionOf(waiting, "Progressing")).toBe("True/RollingOut: Revision  is rolling out.");
    expect(await world.client.find(ConfigMap, { namespace: "ops", name: "late" })).toBeUndefined();
    await world.client.status.patch(PersistentVolumeClaim, { namespace: "ops", name: "claim" }, { merge: { status: { phase: "Bound" } } });
    const done = await world.waitForRevision("set", (each) => conditionOf(each, "Succeeded") !== "none");
    expect(conditionOf(done, "Succeeded")).toBe("True/Succeeded: Revision succeeded rolling out.");
    expect(await world.client.find(ConfigMap, { namespace: "ops", name: "late" })).toBeDefined();
  });

  test("is blocked by Secrets that can be changed, and by content that has changed", async () => {
    await world.startManager();
    const object = (data: object) => Buffer.from(JSON.stringify(configMap("from-secret", data))).toString("base64");
    const secret = (data: object, immutable: boolean) => ({
      metadata: { name: "data", namespace: "ops" },
      type: "olm.operatorframework.io/object-data",
      immutable,
      data: { object: object(data) },
    });
    await world.client.create(Secret, secret({ a: "1" }, false));
    await create({ phases: [{ name: "one", objects: [{ ref: { name: "data", namespace: "ops", key: "object" } }] }] });
    const mutable = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").startsWith("False"));
    expect(conditionOf(mutable, "Progressing")).toBe(
      "False/Blocked: the following secrets are not immutable (referenced secrets must have immutable set to true): ops/data",
    );
    await world.client.patch(Secret, { namespace: "ops", name: "data" }, { merge: { immutable: true } });
    await world.client.patch(ClusterObjectSetKind, { name: "set" }, { merge: { metadata: { annotations: { again: "1" } } } });
    await world.waitForRevision("set", isSucceeded);
    await world.client.delete(Secret, { namespace: "ops", name: "data" });
    await world.client.create(Secret, secret({ a: "2" }, true));
    await world.client.patch(ClusterObjectSetKind, { name: "set" }, { merge: { metadata: { annotations: { again: "2" } } } });
    const changed = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").startsWith("False"));
    expect(conditionOf(changed, "Progressing")).toMatch(
      /^False\/Blocked: resolved content of 1 phase\(s\) has changed: phase "one" \(expected digest sha256:[0-9a-f]{64}, got sha256:[0-9a-f]{64}\); a referenced object source may have been deleted and recreated with different content$/,
    );
  });

  test.each([
    ["Prevent", false],
    ["IfNoController", true],
    ["None", true],
  ])("with collision protection %s takes over an object without an owner: %s", async (collisionProtection, takesOver) => {
    await world.startManager();
    await world.client.create(ConfigMap, { metadata: { name: "mine", namespace: "ops" }, data: { kept: "yes" } });
    await create({ collisionProtection, phases: [phase("one", configMap("mine", { added: "yes" }))] });
    const until = takesOver ? isSucceeded : (each: Parameters<typeof conditionOf>[0]) => conditionOf(each, "Progressing") !== "none";
    const revision = await world.waitForRevision("set", until);
    const { data } = await world.client.get(ConfigMap, { namespace: "ops", name: "mine" });
    expect(data).toEqual(takesOver ? { kept: "yes", added: "yes" } : { kept: "yes" });
    if (!takesOver) {
      expect(conditionOf(revision, "Progressing")).toBe(
        'True/Retrying: revision object collisions in phase 0\nObject ConfigMap.v1 ops/mine\nAction: "Collision"\nProbes:\n- Progress: Succeeded\nConflicting Owner: nil\n',
      );
    }
  });

  test("says which object the API server would refuse, and applies nothing of the phase", async () => {
    await world.startManager();
    await create({ phases: [phase("one", configMap("fine"), { ...configMap("wrong"), data: { "not a key": "x" } })] });
    const revision = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing") !== "none");
    expect(conditionOf(revision, "Progressing")).toMatch(
      /^True\/Retrying: phase 0 validation error: phase "one": \/v1, Kind=ConfigMap ops\/wrong: ConfigMap "wrong" is invalid: data\[not a key\]: Invalid value/,
    );
    expect(await world.client.find(ConfigMap, { namespace: "ops", name: "fine" })).toBeUndefined();
  });

  test("cannot be changed or taken out of the archive, in the words of upstream", async () => {
    await create({ phases: [phase("one", configMap("a"))] });
    const patch = (spec: object) => world.client.patch(ClusterObjectSetKind, { name: "set" }, { merge: { spec } });
    await expect(patch({ phases: [phase("one", configMap("b"))] })).rejects.toThrow("phases is immutable");
    await expect(patch({ revision: 2 })).rejects.toThrow("revision is immutable");
    await patch({ lifecycleState: "Archived" });
    await expect(patch({ lifecycleState: "Active" })).rejects.toThrow("cannot un-archive");
  });
});
