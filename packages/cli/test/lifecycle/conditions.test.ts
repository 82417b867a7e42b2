/** Rows of the tables of conditions that other tests do not reach: terminal errors, polling, foreign conditions, and texts that are too long. */

import { openRepository, parseImageReference, pushImage } from "@pintle/lifecycle/internal/image";
import { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind, createRegistryImageSource } from "@pintle/lifecycle/manager";
import { systemClock } from "pintle/internal/clock";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildScratchImage } from "../../src/image/index.ts";
import { startRegistryServer } from "../../src/local-cluster/index.ts";
import { bundleImage, createBundle, createCatalog } from "./bundles.ts";
import { conditionOf, createWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
  for (const version of ["1.0.0", "1.0.1"]) world.images.bundles.set(bundleImage(version), createBundle(version));
  world.images.catalogs.set("example.com/main:latest", createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }]));
});
afterEach(() => world[Symbol.asyncDispose]());

type Described = Parameters<typeof conditionOf>[0];
const isServing = (object: Described) => conditionOf(object, "Serving").startsWith("True");
const isSucceeded = (object: Described) => conditionOf(object, "Progressing").startsWith("True/Succeeded");

describe("ClusterCatalog", () => {
  test("is blocked by an image without the label of catalogs, if its digest is given, and retried if its tag is", async () => {
    await using registry = await startRegistryServer();
    const reference = parseImageReference(`${registry.host}/unlabelled:v1`);
    const image = buildScratchImage([{ path: "configs/catalog.json", mode: 0o644, data: Buffer.from("{}") }], {});
    await pushImage(openRepository(reference, { insecure: true, signal: AbortSignal.timeout(10_000) }), image, "v1");
    await world.startManager({ images: createRegistryImageSource({ insecure: () => true }) });
    const create = (name: string, ref: string) => world.createCatalog(name, { source: { type: "Image", image: { ref } } });
    await create("digest", `${registry.host}/unlabelled@${image.root.digest}`);
    await create("tag", `${registry.host}/unlabelled:v1`);
    const isReported = (each: Described) => conditionOf(each, "Progressing") !== "none";
    expect(conditionOf(await world.waitForCatalog("digest", isReported), "Progressing")).toMatch(
      /^False\/Blocked: source catalog content: .*missing the required label/,
    );
    const retried = await world.waitForCatalog("tag", isReported);
    expect(conditionOf(retried, "Progressing")).toMatch(/^True\/Retrying: source catalog content: .*missing the required label/);
    expect(conditionOf(retried, "Serving")).toBe("none");
  });

  test("is polled when its interval has passed, and not before", async () => {
    let passed = 0;
    await world.startManager({ clock: { ...systemClock, now: () => systemClock.now() + passed }, random: () => 0 });
    const image = { ref: "example.com/main:latest", pollIntervalMinutes: 5 };
    await world.createCatalog("main", { source: { type: "Image", image } });
    const first = await world.waitForCatalog("main", isServing);
    const before = world.images.pulls.get(image.ref)!;
    const reconcileAfter = async (minutes: number) => {
      passed = minutes * 60_000;
      const annotations = { after: `${minutes}` };
      await world.client.patch(ClusterCatalogKind, { name: "main" }, { merge: { metadata: { annotations } } });
    };
    await reconcileAfter(4);
    // Reconciled after it, because the queue is in order.
    world.images.catalogs.set("example.com/other:latest", createCatalog([{ version: "1.0.0" }]));
    await world.createCatalog("other");
    await world.waitForCatalog("other", isServing);
    expect(world.images.pulls.get(image.ref)).toBe(before);
    await reconcileAfter(6);
    await expect.poll(() => world.images.pulls.get(image.ref), { timeout: 10_000 }).toBe(before + 1);
    expect(conditionOf(first, "Progressing")).toBe("True/Succeeded: Successfully unpacked and stored content from resolved source");
  });

  test("loses the conditions that no version of the controller sets now", async () => {
    await world.startManager();
    await world.createCatalog("main");
    const { status } = await world.waitForCatalog("main", isServing);
    const old = { type: "Unpacked", status: "True", reason: "UnpackSuccessful", message: "", lastTransitionTime: "2024-01-01T00:00:00Z" };
    const conditions = [...status!.conditions!, old];
    await world.client.status.patch(ClusterCatalogKind, { name: "main" }, { merge: { status: { conditions } } } as never);
    await world.waitForCatalog("main", (each) => conditionOf(each, "Unpacked") === "none" && isServing(each));
  });
});

describe("ClusterExtension", () => {
  test("says in at most 32,768 bytes what is deprecated", async () => {
    const message = "x".repeat(40_000);
    const entries = [{ reference: { schema: "olm.package" }, message }];
    world.images.catalogs.set(
      "example.com/main:latest",
      createCatalog([{ version: "1.0.0" }], [{ schema: "olm.deprecations", package: "test", entries }]),
    );
    await world.startManager();
    await world.createCatalog("main");
    await world.createExtension("op");
    const extension = await world.waitForExtension("op", (each) => conditionOf(each, "PackageDeprecated").startsWith("True"));
    const shown = extension.status!.conditions!.find(({ type }) => type === "PackageDeprecated")!.message;
    expect(shown).toHaveLength(32_768);
    expect(shown).toMatch(/^x+\n\n\.\.\. \[message truncated\]$/);
  });

  test("has no package in any catalog: the text says for what was looked, and nothing is installed", async () => {
    await world.startManager();
    await world.createCatalog("main");
    await world.waitForCatalog("main", isServing);
    await world.createExtension("op", { packageName: "absent", version: "1.x", channels: ["a", "b"] });
    const missing = await world.waitForExtension("op", (each) => conditionOf(each, "Progressing").includes("no bundles"));
    expect(conditionOf(missing, "Progressing")).toBe(
      'True/Retrying: no bundles found for package "absent" matching version "1.x" in channels [a b]',
    );
    expect(conditionOf(missing, "Installed")).toBe("False/Failed: No bundle installed");
    for (const type of ["Deprecated", "PackageDeprecated", "ChannelDeprecated"])
      expect(conditionOf(missing, type)).toBe("Unknown/DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable");
    expect(conditionOf(missing, "BundleDeprecated")).toBe("Unknown/Absent: no bundle installed yet");
  });

  test("mirrors that its objects are available, and keeps at most five revisions beside the newest", async () => {
    const versions = Array.from({ length: 8 }, (_, i) => `1.0.${i}`);
    for (const version of versions) world.images.bundles.set(bundleImage(version), createBundle(version));
    const entries = versions.map((version, i) => ({ version, ...(i === 0 ? {} : { replaces: versions[i - 1]! }) }));
    world.images.catalogs.set("example.com/main:latest", createCatalog(entries));
    await world.startManager();
    await world.createCatalog("main");
    await world.createExtension("op", { version: versions[0]! });
    for (const version of versions) {
      await world.client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version } } } } });
      const extension = await world.waitForExtension("op", (each) => each.status?.install?.bundle.version === version && isSucceeded(each));
      expect(conditionOf(extension, "Available")).toBe("True/ProbesSucceeded: Objects are available and pass all probes.");
      expect(conditionOf(extension, "Progressing")).toBe(`True/Succeeded: Revision ${version} has rolled out.`);
    }
    const revisions = (await world.client.list(ClusterObjectSetKind)).items.map(({ spec }) => spec.revision).sort((a, b) => a - b);
    expect(revisions).toEqual([3, 4, 5, 6, 7, 8]);
  });
});

describe("ClusterObjectSet", () => {
  const create = (spec: object) =>
    world.client.create(ClusterObjectSetKind, {
      metadata: { name: "set" },
      spec: { lifecycleState: "Active", collisionProtection: "Prevent", revision: 1, ...spec },
    });
  const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ops" } });

  test("is retried while a Secret with its objects is missing, or lacks the key", async () => {
    await world.startManager();
    await create({ phases: [{ name: "one", objects: [{ ref: { name: "data", namespace: "ops", key: "object" } }] }] });
    const missing = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").includes("Secret"));
    expect(conditionOf(missing, "Progressing")).toBe(
      'True/Retrying: resolving ref in phase "one": getting Secret ops/data: secrets "data" not found',
    );
    const data = { other: Buffer.from(JSON.stringify(map("a"))).toString("base64") };
    await world.client.create(Secret, { metadata: { name: "data", namespace: "ops" }, immutable: true, data });
    const lacking = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").includes("key"));
    expect(conditionOf(lacking, "Progressing")).toBe(
      'True/Retrying: resolving ref in phase "one": key "object" not found in Secret ops/data',
    );
  });

  test("names objects that are in two phases, and metadata that only the API server may set", async () => {
    await world.startManager();
    const owned = { ...map("b"), metadata: { ...map("b").metadata, finalizers: ["example.com/x"] } };
    const phase = (name: string, ...objects: object[]) => ({ name, objects: objects.map((object) => ({ object })) });
    await create({ phases: [phase("one", map("a"), owned), phase("two", map("a"))] });
    const refused = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").includes("validation error"));
    const text = conditionOf(refused, "Progressing");
    expect(text).toContain("metadata.finalizers: Forbidden: must be empty");
    expect(text).toContain("duplicate object also found in phases one, two");
    expect(await world.client.find(ConfigMap, { namespace: "ops", name: "a" })).toBeUndefined();
  });

  test("is unknown whether available while an error is retried, once it was available", async () => {
    await world.startManager();
    await create({ phases: [{ name: "one", objects: [{ object: map("a") }] }] });
    const done = await world.waitForRevision("set", isSucceeded);
    expect(conditionOf(done, "Available")).toBe("True/ProbesSucceeded: Objects are available and pass all probes.");
    await world.client.patch(ConfigMap, { namespace: "ops", name: "a" }, { merge: { metadata: { ownerReferences: null } } });
    const collided = await world.waitForRevision("set", (each) => conditionOf(each, "Progressing").includes("collisions"));
    expect(conditionOf(collided, "Available")).toMatch(/^Unknown\/Reconciling: revision object collisions in phase 0\n/);
    expect(conditionOf(collided, "Succeeded")).toBe("True/Succeeded: Revision succeeded rolling out.");
  });
});
