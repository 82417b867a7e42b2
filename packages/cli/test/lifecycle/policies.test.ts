import { ClusterExtensionKind, ClusterObjectSetKind, ExtensionPlanKind, ExtensionPolicyKind } from "@pintle/lifecycle/manager";
import { virtualClock } from "pintle/internal/clock";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole } from "pintle/kinds/rbac/v1";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundleImage, createBundle, createCatalog } from "./bundles.ts";
import { conditionOf, createWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
  publish();
});
afterEach(() => world[Symbol.asyncDispose]());

const VERSIONS = [{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }, { version: "1.0.2", replaces: "1.0.1" }];

/** 1.0.1 adds a ConfigMap, a field and a right, and drops a ConfigMap; 1.0.2 never becomes available. */
function publish() {
  const { bundles, catalogs } = world.images;
  bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { configMaps: ["op-config", "op-old"] }));
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
  bundles.set(
    bundleImage("1.0.1"),
    createBundle("1.0.1", { configMaps: ["op-config", "op-new"], fields: { color: { type: "string" } }, rules }),
  );
  bundles.set(bundleImage("1.0.2"), createBundle("1.0.2", { isUnschedulable: true, fields: { color: { type: "string" } } }));
  catalogs.set("example.com/main:latest", createCatalog(VERSIONS));
}

const progress = (extension: Parameters<typeof conditionOf>[0]) => conditionOf(extension, "Progressing");
const hasVersion =
  (version: string) => (extension: Parameters<typeof conditionOf>[0] & { status?: { install?: { bundle: { version: string } } } }) =>
    extension.status?.install?.bundle.version === version && progress(extension).startsWith("True/Succeeded");

async function install(version: string | undefined = "1.0.0") {
  await world.createCatalog("main");
  await world.createExtension("op", { version });
}

const upgrade = (version: string) =>
  world.client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version } } } } });
const approve = (...approved: string[]) => world.client.patch(ExtensionPolicyKind, { name: "op" }, { merge: { spec: { approved } } });
const holds = (reason: string) => (extension: Parameters<typeof conditionOf>[0]) => progress(extension).startsWith(`False/${reason}`);

const OWN_KINDS = new Set([
  "Pod",
  "ReplicaSet",
  "Event",
  "Secret",
  "ClusterObjectSet",
  "ClusterExtension",
  "ExtensionPlan",
  "ExtensionPolicy",
  "Node",
  "Lease",
]);
const isContent = (path: string) =>
  !path.startsWith(".status") &&
  !/^\.metadata\.(generation|ownerReferences|deletion|finalizers|annotations.*(olm\.|deployment\.))/.test(path);

/** What has happened since a revision to objects that only the operator consists of, but for marks and status. */
function listChanges(since: number): string[] {
  const changes = world.cluster
    .at(since)
    .diff()
    .filter(({ kind }) => !OWN_KINDS.has(kind));
  return changes
    .filter(({ type, fields }) => type !== "changed" || fields.some(({ path }) => isContent(path)))
    .map(({ type, kind, name }) => `${type} ${kind}/${name}`)
    .sort();
}

describe("approval", () => {
  test("Manual: nothing is changed before the digest of the plan is approved, and then exactly what it lists", async () => {
    await world.startManager();
    await world.createPolicy({ approval: "Manual" });
    await install();
    const waiting = await world.waitForExtension("op", holds("WaitingForApproval"));
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-1" })).toBeUndefined();
    const first = await world.client.waitFor(ExtensionPlanKind, { name: "op-1.0.0" }, ({ status }) => status?.create !== undefined);
    expect(progress(waiting)).toContain(first.spec.digest);
    expect(first.spec).toMatchObject({ extension: "op", to: { name: "test.v1.0.0", version: "1.0.0", image: bundleImage("1.0.0") } });
    expect(first.spec.from).toBeUndefined();
    expect(first.status?.create?.map(({ kind, name }) => `${kind}/${name.replace(/-[a-z0-9]{40,}$/, "")}`).sort()).toEqual(
      expect.arrayContaining([
        "ConfigMap/op-config",
        "ConfigMap/op-old",
        "CustomResourceDefinition/ops.example.com",
        "Deployment/op-manager",
      ]),
    );
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: "ClusterExtension", name: "op", controller: true }]);
    await approve(first.spec.digest);
    await world.waitForExtension("op", hasVersion("1.0.0"));

    await upgrade("1.0.1");
    await world.waitForExtension("op", holds("WaitingForApproval"));
    const plan = await world.client.waitFor(ExtensionPlanKind, { name: "op-1.0.1" }, ({ status }) => status?.change !== undefined);
    const name = (object: { kind: string; name: string }) => `${object.kind}/${object.name}`;
    expect(plan.spec.from).toMatchObject({ version: "1.0.0", revision: 1 });
    expect(plan.status?.remove?.map(name)).toContain("ConfigMap/op-old");
    expect(plan.status?.create?.map(name)).toContain("ConfigMap/op-new");
    expect(plan.status?.change?.filter(({ kind }) => kind !== "ClusterRole").map((each) => [name(each), each.fields])).toEqual(
      expect.arrayContaining([
        ["ConfigMap/op-config", [".data.version"]],
        ["Deployment/op-manager", [`.spec.template.spec.containers[name="manager"].image`]],
      ]),
    );
    expect(plan.status?.restarts?.map(name)).toEqual(["Deployment/op-manager"]);
    expect(plan.status?.rightsAdded).toEqual([{ verb: "get", resource: "secrets" }]);
    expect(plan.status?.images).toEqual([bundleImage("1.0.1"), "example.com/op:1.0.1"].map((image) => ({ image, signature: "Unchecked" })));
    await world.cluster.settled();
    const before = world.cluster.server.store.currentRevision();
    await approve(first.spec.digest, plan.spec.digest);
    await world.waitForExtension("op", hasVersion("1.0.1"));
    await world.client.waitFor(ClusterObjectSetKind, { name: "op-1" }, ({ metadata }) => metadata.finalizers === undefined, {
      timeout: 20_000,
    });
    await world.client.waitForDeletion(ConfigMap, { namespace: "ops", name: "op-old" }, { timeout: 20_000 });
    const { create = [], change = [], remove = [] } = plan.status!;
    const listed = [
      ...create.map((each) => `created ${name(each)}`),
      ...change.map((each) => `changed ${name(each)}`),
      ...remove.map((each) => `deleted ${name(each)}`),
    ];
    expect(listChanges(before)).toEqual(listed.sort());
  });

  test("an approval is void once the plan would do something else", async () => {
    await world.startManager();
    await world.createPolicy({ approval: "ManualAfterFirst" });
    await install();
    await world.waitForExtension("op", hasVersion("1.0.0"));
    await upgrade("1.0.1");
    await world.waitForExtension("op", holds("WaitingForApproval"));
    const { spec } = await world.client.get(ExtensionPlanKind, { name: "op-1.0.1" });
    // What would be created exists now.
    await world.client.create(ConfigMap, { metadata: { name: "op-new", namespace: "ops" } });
    await approve(spec.digest);
    const changed = await world.client.waitFor(ExtensionPlanKind, { name: "op-1.0.1" }, (plan) => plan.spec.digest !== spec.digest, {
      timeout: 20_000,
    });
    const held = await world.waitForExtension("op", (each) => progress(each).includes(changed.spec.digest));
    expect(progress(held)).toMatch(/^False\/WaitingForApproval/);
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
  });

  test("two policies of the same rank hold the extension, and one by name outranks selectors", async () => {
    await world.startManager();
    for (const name of ["a", "b"]) await world.client.create(ExtensionPolicyKind, { metadata: { name }, spec: { extensionSelector: {} } });
    await install();
    const held = await world.waitForExtension("op", holds("InvalidPolicy"));
    expect(progress(held)).toBe("False/InvalidPolicy: extension op is selected by 2 policies: a, b");
    await world.createPolicy();
    await world.waitForExtension("op", hasVersion("1.0.0"));
  });
});

/** Replaces the world by one whose time passes only when the test says so. */
async function startWithVirtualClock(): Promise<void> {
  await world[Symbol.asyncDispose]();
  const clock = virtualClock(Date.parse("2026-11-20T12:00:00Z"));
  world = await createWorld({ clock });
  publish();
  await world.startManager({ clock });
}

/** Lets time pass, first for what has not begun yet. */
async function pass(ms: number): Promise<void> {
  await world.cluster.settled();
  await world.cluster.advance(ms);
}

test("window: an upgrade begins when the window opens", async () => {
  await startWithVirtualClock();
  await world.createPolicy({ window: { cron: "0 2 * * 6", duration: "3h" } });
  await install();
  await world.cluster.settled();
  await world.cluster.advance(60_000);
  await world.waitForExtension("op", hasVersion("1.0.0"));
  await upgrade("1.0.1");
  await world.cluster.advance(60_000);
  const held = await world.waitForExtension("op", holds("WaitingForWindow"));
  expect(progress(held)).toContain("which opens at 2026-11-21T02:00:00Z");
  await world.cluster.advance(15 * 3_600_000);
  await world.cluster.advance(60_000);
  await world.waitForExtension("op", hasVersion("1.0.1"));
});

describe("rights: Derived", () => {
  test("objects are applied by an own ServiceAccount with the rights that they need, and an upgrade that needs more waits", async () => {
    await world.startManager();
    await world.createPolicy({ rights: "Derived" });
    await install();
    await world.waitForExtension("op", hasVersion("1.0.0"));
    await world.client.get(ServiceAccount, { namespace: "ops", name: "op-installer" });
    const role = () => world.client.get(ClusterRole, { name: "lifecycle.pintle.dev:installer:op" });
    expect((await role()).rules).toContainEqual({ apiGroups: ["example.com"], resources: ["ops"], verbs: ["*"] });
    const installer = "system:serviceaccount:ops:op-installer";
    const writes = () =>
      world.cluster.journal.entries.filter(({ user, verb }) => user === installer && verb !== "get").map(({ resource }) => resource);
    expect(writes()).toEqual(expect.arrayContaining(["configmaps", "deployments", "clusterroles", "customresourcedefinitions"]));

    await upgrade("1.0.1");
    const held = await world.waitForExtension("op", holds("WaitingForRights"));
    expect(progress(held)).toContain("get secrets");
    expect(progress(held)).toContain("configmaps op-new in ops");
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
    const { spec } = await world.client.get(ExtensionPlanKind, { name: "op-1.0.1" });
    await approve(spec.digest);
    await world.waitForExtension("op", hasVersion("1.0.1"));
    expect((await role()).rules).toContainEqual({ apiGroups: [""], resources: ["secrets"], verbs: ["get"] });
  });

  test("one rule less is found before anything is applied", async () => {
    await world.startManager();
    await world.createPolicy({ rights: "Derived" });
    await install();
    await world.waitForExtension("op", hasVersion("1.0.0"));
    const name = "lifecycle.pintle.dev:installer:op";
    const { rules = [] } = await world.client.get(ClusterRole, { name });
    const less = rules.filter(({ resources }) => !resources?.includes("customresourcedefinitions"));
    expect(less.length).toBeLessThan(rules.length);
    await world.client.patch(ClusterRole, { name }, { merge: { rules: less } } as never);
    world.images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { configMaps: ["op-config"] }));
    await upgrade("1.0.1");
    const held = await world.waitForExtension("op", holds("WaitingForRights"));
    expect(progress(held)).toContain("customresourcedefinitions.apiextensions.k8s.io ops.example.com");
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
  });
});

describe("onFailure: RollBack", () => {
  test("a revision that does not roll out in time is taken back: a new revision has the old content, and the CRD loses no field", async () => {
    await startWithVirtualClock();
    await world.createPolicy({ onFailure: { action: "RollBack", after: "10m" } });
    await install("1.0.0");
    await pass(60_000);
    await world.waitForExtension("op", hasVersion("1.0.0"));
    const before = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    const crd = await world.client.get(CustomResourceDefinition, { name: "ops.example.com" });
    world.images.catalogs.set("example.com/main:latest", createCatalog([VERSIONS[0]!, { version: "1.0.2", replaces: "1.0.0" }]));
    await world.client.delete(ClusterExtensionKind, { name: "none" }).catch(() => {});
    await upgrade("1.0.2");
    await world.client.patch(
      ClusterExtensionKind,
      { name: "op" },
      { merge: { spec: { source: { catalog: { upgradeConstraintPolicy: "SelfCertified" } } } } },
    );
    await world.waitForExtension("op", (each) => progress(each).startsWith("True/RollingOut"));
    await pass(9 * 60_000);
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-3" })).toBeUndefined();
    await pass(2 * 60_000);
    const rolledBack = await world.waitForExtension("op", holds("RolledBack"));
    expect(progress(rolledBack)).toMatch(
      /^False\/RolledBack: version 1\.0\.2 \(revision 2\) has not rolled out for 10m: .*; went back to version 1\.0\.0/,
    );
    expect(rolledBack.status?.install?.bundle.version).toBe("1.0.0");
    const revision = await world.waitForRevision("op-3", (each) => conditionOf(each, "Succeeded").startsWith("True"));
    expect(revision.metadata.annotations?.["olm.operatorframework.io/bundle-version"]).toBe("1.0.0");
    const after = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.spec.template.spec?.nodeSelector).toBeUndefined();
    const kept = await world.client.get(CustomResourceDefinition, { name: "ops.example.com" });
    expect(kept.metadata.uid).toBe(crd.metadata.uid);
    expect(JSON.stringify(kept.spec)).toContain('"color"');
    await world.waitForRevision("op-2", ({ spec }) => spec.lifecycleState === "Archived");
    // Another spec is another chance.
    world.images.bundles.set(
      bundleImage("1.0.1"),
      createBundle("1.0.1", { configMaps: ["op-config"], fields: { color: { type: "string" } } }),
    );
    world.images.catalogs.set("example.com/main:latest", createCatalog(VERSIONS));
    await upgrade("1.0.0");
    await world.waitForExtension("op", hasVersion("1.0.0"));
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-4" })).toBeUndefined();
    // Another bundle brings its own CRD.
    const fields = { color: { type: "string" }, flavor: { type: "string" } };
    world.images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { fields }));
    await upgrade("1.0.1");
    await pass(60_000);
    await world.waitForExtension("op", hasVersion("1.0.1"));
    expect(JSON.stringify(await world.client.get(CustomResourceDefinition, { name: "ops.example.com" }))).toContain('"flavor"');
  });

  test("a revision that becomes unhealthy while it soaks is taken back", async () => {
    await startWithVirtualClock();
    const probe = {
      selector: { type: "GroupKind", groupKind: { group: "", kind: "ConfigMap" } },
      assertions: [{ type: "FieldValue", fieldValue: { fieldPath: "data.version", value: "1.0.0" } }],
    };
    world.images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { configMaps: ["op-config"] }));
    await world.createPolicy({ onFailure: { action: "RollBack", after: "10m" }, health: { soak: "1h" } });
    await install();
    await pass(60_000);
    await world.waitForExtension("op", hasVersion("1.0.0"));
    await upgrade("1.0.1");
    await pass(60_000);
    await world.waitForExtension("op", hasVersion("1.0.1"));
    const unhealthy = { health: { probes: [probe] } };
    await world.client.patch(ExtensionPolicyKind, { name: "op" }, { merge: { spec: unhealthy } } as never);
    await world.waitForExtension("op", (each) => conditionOf(each, "Available").startsWith("False"));
    await pass(11 * 60_000);
    const rolledBack = await world.waitForExtension("op", holds("RolledBack"));
    expect(progress(rolledBack)).toContain("version 1.0.1 (revision 2) has been unavailable for 10m");
    expect(progress(rolledBack)).toContain('value at key "data.version" != "1.0.0"');
  });

  test("a stuck rollout is superseded by a new spec", async () => {
    await world.startManager();
    await world.createPolicy();
    await install();
    await world.waitForExtension("op", hasVersion("1.0.0"));
    world.images.catalogs.set("example.com/main:latest", createCatalog(VERSIONS));
    await world.client.patch(
      ClusterExtensionKind,
      { name: "op" },
      { merge: { spec: { source: { catalog: { version: "1.0.2", upgradeConstraintPolicy: "SelfCertified" } } } } },
    );
    await world.waitForExtension("op", (each) => progress(each).startsWith("True/RollingOut"));
    await upgrade("1.0.1");
    await world.waitForExtension("op", hasVersion("1.0.1"));
  });
});

describe("removal", () => {
  const Op = { group: "example.com", version: "v1", kind: "Op" };
  const createOp = async () => {
    const kind = await world.client.discoverKind(`${Op.group}/${Op.version}`, Op.kind);
    await world.client.create(kind, { metadata: { name: "one", namespace: "ops" }, spec: { size: 1 } } as never);
    return kind;
  };

  test.each(["Background", "Foreground"] as const)(
    "KeepDefinitions (%s): CRDs and their objects outlive the extension, and are taken over again",
    async (propagation) => {
      await world.startManager();
      await world.createPolicy({ removal: "KeepDefinitions" });
      await install();
      await world.waitForExtension("op", hasVersion("1.0.0"));
      const kind = await createOp();
      const crd = await world.client.get(CustomResourceDefinition, { name: "ops.example.com" });
      await world.client.delete(ClusterExtensionKind, { name: "op" }, { propagation });
      await world.client.waitForDeletion(ClusterExtensionKind, { name: "op" }, { timeout: 20_000 });
      await world.client.waitForDeletion(Deployment, { namespace: "ops", name: "op-manager" }, { timeout: 20_000 });
      await world.cluster.settled();
      const kept = await world.client.get(CustomResourceDefinition, { name: "ops.example.com" });
      expect([kept.metadata.uid, kept.metadata.deletionTimestamp, kept.metadata.ownerReferences]).toEqual([
        crd.metadata.uid,
        undefined,
        undefined,
      ]);
      expect((await world.client.list(kind)).items).toHaveLength(1);
      await world.createExtension("op", { version: "1.0.0" });
      await world.waitForExtension("op", hasVersion("1.0.0"));
      expect((await world.client.get(CustomResourceDefinition, { name: "ops.example.com" })).metadata.uid).toBe(crd.metadata.uid);
    },
  );

  test("RefuseIfInUse: the extension stays, with its operator, until its custom resources are gone", async () => {
    await world.startManager();
    await world.createPolicy({ removal: "RefuseIfInUse" });
    await install();
    await world.waitForExtension("op", hasVersion("1.0.0"));
    const kind = await createOp();
    await world.client.delete(ClusterExtensionKind, { name: "op" }, { propagation: "Foreground" });
    const held = await world.waitForExtension("op", holds("InUse"));
    expect(progress(held)).toBe("False/InUse: the extension is deleted when its custom resources are: 1 of ops.example.com (ops/one)");
    expect(await world.client.find(Deployment, { namespace: "ops", name: "op-manager" })).toBeDefined();
    await world.client.delete(kind, { name: "one", namespace: "ops" } as never);
    await world.client.waitForDeletion(ClusterExtensionKind, { name: "op" }, { timeout: 20_000 });
    await world.client.waitForDeletion(CustomResourceDefinition, { name: "ops.example.com" }, { timeout: 20_000 });
  });
});
