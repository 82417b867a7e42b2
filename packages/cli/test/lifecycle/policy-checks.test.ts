import { generateKeyPairSync, X509Certificate } from "node:crypto";
import {
  ClusterExtensionKind,
  ClusterObjectSetKind,
  ExtensionPlanKind,
  ExtensionPolicyKind,
  OperatorConditionKind,
} from "@pintle/lifecycle/manager";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Secret } from "pintle/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundleImage, createBundle, createCatalog } from "./bundles.ts";
import { conditionOf, createWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
  const { bundles, catalogs } = world.images;
  bundles.set(bundleImage("1.0.0"), createBundle("1.0.0"));
  bundles.set(bundleImage("1.0.1"), createBundle("1.0.1"));
  catalogs.set("example.com/main:latest", createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }]));
  await world.startManager();
});
afterEach(() => world[Symbol.asyncDispose]());

const progress = (extension: Parameters<typeof conditionOf>[0]) => conditionOf(extension, "Progressing");
const holds = (reason: string) => (extension: Parameters<typeof conditionOf>[0]) => progress(extension).startsWith(`False/${reason}`);
const hasVersion =
  (version: string) => (extension: Parameters<typeof conditionOf>[0] & { status?: { install?: { bundle: { version: string } } } }) =>
    extension.status?.install?.bundle.version === version && progress(extension).startsWith("True/Succeeded");
const upgrade = (version: string) =>
  world.client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version } } } } });
const setPolicy = (spec: object) => world.client.patch(ExtensionPolicyKind, { name: "op" }, { merge: { spec } } as never);
const PEM = String(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "pem", type: "spki" }));

async function install(policy: object, version = "1.0.0") {
  await world.createPolicy(policy);
  await world.createCatalog("main");
  await world.createExtension("op", { version });
}

async function createOp(size: unknown, version = "v1") {
  const kind = await world.client.discoverKind(`example.com/${version}`, "Op");
  await world.client.create(kind, { metadata: { name: "one", namespace: "ops" }, spec: { size } } as never);
}

describe("stored", () => {
  test("Check: a CRD that refuses stored objects is not applied, and they are named", async () => {
    await install({ stored: "Check" });
    await world.waitForExtension("op", hasVersion("1.0.0"));
    await createOp(7);
    world.images.bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { sizeType: "string" }));
    await world.client.patch(
      ClusterExtensionKind,
      { name: "op" },
      { merge: { spec: { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } } } },
    );
    await upgrade("1.0.1");
    const held = await world.waitForExtension("op", holds("StoredObjectsRefused"));
    expect(progress(held)).toMatch(/version 1\.0\.1 has CRDs that stored objects do not fit: Op ops\/one: spec\.size: .*string/);
    const plan = await world.client.get(ExtensionPlanKind, { name: "op-1.0.1" });
    expect(plan.status?.refused).toMatchObject([{ kind: "Op", namespace: "ops", name: "one" }]);
    expect(plan.status?.definitions?.map(({ severity }) => severity)).toEqual(expect.arrayContaining(["Breaking", "Warning"]));
    expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
    await setPolicy({ stored: "Ignore" });
    await world.waitForExtension("op", hasVersion("1.0.1"));
  });

  test("Migrate: objects stored in an old version are rewritten, so that a CRD without it can follow", async () => {
    const { bundles } = world.images;
    bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { versions: ["v1alpha1"] }));
    bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { versions: ["v1alpha1", "v1"] }));
    await install({ stored: "Migrate" });
    await world.waitForExtension("op", hasVersion("1.0.0"));
    await createOp(7, "v1alpha1");
    await upgrade("1.0.1");
    await world.waitForExtension("op", hasVersion("1.0.1"));
    const isMigrated = (crd: CustomResourceDefinition) => crd.status?.storedVersions?.join() === "v1";
    await world.client.waitFor(CustomResourceDefinition, { name: "ops.example.com" }, isMigrated, { timeout: 20_000 });
    const entry = await world.cluster.server.store.get("/registry/example.com/ops/ops/one");
    expect(entry?.value["apiVersion"]).toBe("example.com/v1");
  });
});

describe("trust", () => {
  test("an unsigned bundle is refused; a signed one with a bill of materials is installed", async () => {
    await install({ trust: { keys: [PEM], sbom: "Require" } });
    const held = await world.waitForExtension("op", holds("Untrusted"));
    expect(progress(held)).toBe(
      `False/Untrusted: bundle ${bundleImage("1.0.0")} is not trusted by ExtensionPolicy op: sha256-1.sig is not signed by the key`,
    );
    world.images.signed.set(bundleImage("1.0.0"), { hasSbom: false });
    await setPolicy({ window: { cron: "* * * * *", duration: "2m" } });
    await world.waitForExtension("op", (each) => progress(each).endsWith("it has no signed bill of materials"));
    world.images.signed.set(bundleImage("1.0.0"), { hasSbom: true });
    await setPolicy({ window: null });
    await world.waitForExtension("op", hasVersion("1.0.0"));
  });
});

describe("source", () => {
  test.each([
    ["Image", { type: "Image", image: bundleImage("2.0.0") }],
    ["Folder", { type: "Folder", folder: "dist/bundle" }],
  ])("%s: a bundle is installed without a catalog", async (_, source) => {
    world.images.bundles.set("image" in source ? source.image : source.folder, createBundle("2.0.0"));
    await world.createPolicy({ source });
    await world.createExtension("op");
    await world.waitForExtension("op", hasVersion("2.0.0"));
    await upgrade("3.x");
    const held = await world.waitForExtension("op", holds("InvalidPolicy"));
    expect(progress(held)).toContain('has version 2.0.0, which is not in "3.x"');
  });

  test("a bundle of another package is refused", async () => {
    world.images.bundles.set(bundleImage("2.0.0"), createBundle("2.0.0", { packageName: "other" }));
    await world.createPolicy({ source: { type: "Image", image: bundleImage("2.0.0") } });
    await world.createExtension("op");
    const held = await world.waitForExtension("op", holds("InvalidPolicy"));
    expect(progress(held)).toContain("is of package other, and the extension has package test");
  });
});

describe("dependencies", () => {
  const PROPERTIES = [
    { type: "olm.package.required", value: { packageName: "base", versionRange: ">=1.0.0" } },
    { type: "olm.gvk.required", value: { group: "apps", version: "v1", kind: "Deployment" } },
  ];
  beforeEach(() => {
    const base = createCatalog([{ version: "1.0.0" }], [], "base");
    world.images.bundles.set(bundleImage("1.0.0", "base"), createBundleOf("base"));
    world.images.catalogs.set("example.com/main:latest", [...createCatalog([{ version: "1.0.0", properties: PROPERTIES }]), ...base]);
  });
  /** A bundle without a CRD and with names of its own. */
  const createBundleOf = (name: string) =>
    new Map(
      [...createBundle("1.0.0", { packageName: name, configMaps: [] })].map(
        ([path, data]) =>
          [
            path,
            Buffer.from(
              data
                .toString()
                .replaceAll("example.com", `${name}.example.com`)
                .replaceAll("op-manager", `${name}-manager`)
                .replaceAll('"serviceAccountName":"op"', `"serviceAccountName":"${name}"`),
            ),
          ] as const,
      ),
    );

  test("Refuse: as OLM v1", async () => {
    await install({});
    await world.waitForExtension("op", (each) => progress(each).includes("which is currently not supported"));
  });

  test("Require: the bundle waits for what it depends on", async () => {
    await install({ dependencies: "Require" });
    const held = await world.waitForExtension("op", holds("DependenciesMissing"));
    expect(progress(held)).toBe("False/DependenciesMissing: the bundle depends on package base >=1.0.0, which is not installed");
    await world.createExtension("base", { packageName: "base" });
    await world.waitForExtension("op", hasVersion("1.0.0"));
  });

  test("Install: what it depends on is installed", async () => {
    await install({ dependencies: "Install" });
    await world.waitForExtension("op", hasVersion("1.0.0"));
    const base = await world.client.get(ClusterExtensionKind, { name: "base" });
    expect(base.metadata.labels).toEqual({ "lifecycle.pintle.dev/required-by": "op" });
    expect(base.spec).toMatchObject({ namespace: "ops", source: { catalog: { packageName: "base", version: ">=1.0.0" } } });
  });
});

test("OperatorCondition: Upgradeable=False holds an upgrade until the operator, or an administrator, says otherwise", async () => {
  await install({});
  await world.waitForExtension("op", hasVersion("1.0.0"));
  const ref = { namespace: "ops", name: "op" };
  await world.client.waitFor(OperatorConditionKind, ref, () => true);
  const { spec } = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
  expect(spec.template.spec?.containers[0]?.env).toEqual([{ name: "OPERATOR_CONDITION_NAME", value: "op" }]);
  const condition = {
    type: "Upgradeable",
    status: "False",
    reason: "Migrating",
    message: "3 of 7",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  await world.client.patch(OperatorConditionKind, ref, { merge: { spec: { conditions: [condition] } } } as never);
  await upgrade("1.0.1");
  const held = await world.waitForExtension("op", holds("HeldByOperator"));
  expect(progress(held)).toBe(
    "False/HeldByOperator: version 1.0.1 waits for OperatorCondition ops/op, which has Upgradeable=False: Migrating: 3 of 7",
  );
  await world.client.patch(OperatorConditionKind, ref, { merge: { spec: { overrides: [{ ...condition, status: "True" }] } } } as never);
  await world.waitForExtension("op", hasVersion("1.0.1"));
});

test("certificates: Pintle issues the certificates of webhooks without cert-manager, and renews them", async () => {
  const webhook = {
    type: "ValidatingAdmissionWebhook",
    generateName: "vop.example.com",
    deploymentName: "op-manager",
    containerPort: 443,
    webhookPath: "/validate",
    sideEffects: "None",
    failurePolicy: "Ignore",
    admissionReviewVersions: ["v1"],
    rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["ops"] }],
  };
  world.images.bundles.set(bundleImage("1.0.0"), createBundle("1.0.0", { webhooks: [webhook] }));
  await install({ certificates: "Pintle" });
  await world.waitForExtension("op", hasVersion("1.0.0"));
  const configuration = await world.client.waitFor(
    ValidatingWebhookConfiguration,
    { name: "vop.example.com" },
    ({ webhooks }) => webhooks?.[0]?.clientConfig.caBundle !== undefined,
    { timeout: 20_000 },
  );
  const ref = { namespace: "ops", name: "op-manager-service-cert" };
  const { data = {}, type } = await world.client.get(Secret, ref);
  expect(type).toBe("kubernetes.io/tls");
  const certificate = new X509Certificate(Buffer.from(data["tls.crt"]!, "base64"));
  const authority = new X509Certificate(Buffer.from(configuration.webhooks![0]!.clientConfig.caBundle!, "base64"));
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.subjectAltName).toContain("DNS:op-manager-service.ops.svc");
  // A certificate of another issuer is replaced; the authority stays.
  await world.client.patch(Secret, ref, { merge: { data: { "tls.crt": "" } } });
  await setPolicy({ window: { cron: "* * * * *", duration: "2m" } });
  const renewed = await world.client.waitFor(Secret, ref, (secret) => (secret.data?.["tls.crt"] ?? "") !== "", { timeout: 20_000 });
  expect(new X509Certificate(Buffer.from(renewed.data!["tls.crt"]!, "base64")).verify(authority.publicKey)).toBe(true);
  expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
});

test("a policy for an extension that is installed restarts nothing", async () => {
  await world.createCatalog("main");
  await world.createExtension("op", { version: "1.0.0" });
  await world.waitForExtension("op", hasVersion("1.0.0"));
  const before = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
  await world.createPolicy({ approval: "Manual", rights: "Derived", removal: "KeepDefinitions" });
  await world.client.waitFor(OperatorConditionKind, { namespace: "ops", name: "op" }, () => true, { timeout: 20_000 });
  await world.cluster.settled();
  expect(await world.client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
  const after = await world.client.get(Deployment, { namespace: "ops", name: "op-manager" });
  expect(after.metadata.generation).toBe(before.metadata.generation);
});
