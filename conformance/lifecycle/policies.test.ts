/** Policies on a real kube-apiserver: approval by digest, derived rights that wait with what is missing, and webhooks with certificates of Pintle. */
import { X509Certificate } from "node:crypto";
import {
  ClusterCatalogKind,
  type ClusterExtension,
  ClusterExtensionKind,
  ClusterObjectSetKind,
  ExtensionPlanKind,
  ExtensionPolicyKind,
  installLifecycleManager,
  type LifecycleManager,
  startLifecycleManager,
} from "@pintle/lifecycle/manager";
import { type Client, connect } from "pintle/client";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleImage, createBundle, createCatalog } from "../../packages/cli/test/lifecycle/bundles.ts";
import { conditionOf, createImages } from "../../packages/cli/test/lifecycle/world.ts";
import { startControlPlane } from "../real/index.ts";

const NAMESPACE = "ops";
const DEFINITION = "ops.example.com";
const WAIT = { timeout: 60_000 };
const WEBHOOK = {
  type: "ValidatingAdmissionWebhook",
  generateName: "vop.example.com",
  deploymentName: "op-manager",
  containerPort: 443,
  webhookPath: "/validate",
  sideEffects: "None",
  failurePolicy: "Fail",
  timeoutSeconds: 1,
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["ops"] }],
};

let server: Awaited<ReturnType<typeof startControlPlane>>;
let client: Client;
let manager: LifecycleManager;

beforeAll(async () => {
  server = await startControlPlane({ controllerManager: true, scheduler: true, nodes: 1 });
  client = await connect({ kubeconfig: server.kubeconfig });
  await installLifecycleManager(client);
  await client.create(Namespace, { metadata: { name: NAMESPACE } });
  const { bundles, catalogs, source } = createImages();
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
  bundles.set(bundleImage("1.0.0"), createBundle("1.0.0"));
  bundles.set(bundleImage("1.0.1"), createBundle("1.0.1", { configMaps: ["op-config", "op-new"], rules }));
  bundles.set(bundleImage("1.0.0", "hooked"), createBundle("1.0.0", { packageName: "hooked", webhooks: [WEBHOOK] }));
  const hooked = createCatalog([{ version: "1.0.0" }], [], "hooked");
  catalogs.set("example.com/main:v1", createCatalog([{ version: "1.0.0" }, { version: "1.0.1", replaces: "1.0.0" }], hooked));
  manager = startLifecycleManager({ client, images: source });
  await manager.ready;
  const source1 = { type: "Image" as const, image: { ref: "example.com/main:v1" } };
  await client.create(ClusterCatalogKind, { metadata: { name: "main" }, spec: { source: source1 } });
}, 120_000);
afterAll(async () => {
  await manager?.stop();
  await client?.close();
  await server?.stop();
});

const waitFor = (name: string, until: (extension: ClusterExtension) => boolean) =>
  client.waitFor(ClusterExtensionKind, { name }, until, WAIT);
const holds = (reason: string) => (extension: ClusterExtension) => conditionOf(extension, "Progressing").startsWith(`False/${reason}`);
const hasVersion = (version: string) => (extension: ClusterExtension) =>
  extension.status?.install?.bundle.version === version && conditionOf(extension, "Progressing").startsWith("True/Succeeded");
const install = (name: string, packageName: string, version: string) =>
  client.create(ClusterExtensionKind, {
    metadata: { name },
    spec: { namespace: NAMESPACE, source: { sourceType: "Catalog", catalog: { packageName, version } } },
  });
const approve = (name: string, digest: string) => client.patch(ExtensionPolicyKind, { name }, { merge: { spec: { approved: [digest] } } });

async function remove(name: string): Promise<void> {
  await client.delete(ClusterExtensionKind, { name });
  await client.waitForDeletion(ClusterExtensionKind, { name }, WAIT);
  await client.waitForDeletion(CustomResourceDefinition, { name: DEFINITION }, WAIT);
}

test("derived rights: an own ServiceAccount applies the objects, and an upgrade that needs more waits with what is missing", async () => {
  await client.create(ExtensionPolicyKind, { metadata: { name: "op" }, spec: { extensionName: "op", rights: "Derived" } });
  await install("op", "test", "1.0.0");
  await waitFor("op", hasVersion("1.0.0"));
  await client.get(ServiceAccount, { namespace: NAMESPACE, name: "op-installer" });

  await client.patch(ClusterExtensionKind, { name: "op" }, { merge: { spec: { source: { catalog: { version: "1.0.1" } } } } });
  const held = conditionOf(await waitFor("op", holds("WaitingForRights")), "Progressing");
  expect(held).toContain("get secrets");
  expect(held).toContain(`configmaps op-new in ${NAMESPACE}`);
  expect(await client.find(ClusterObjectSetKind, { name: "op-2" })).toBeUndefined();
  const role = { name: "lifecycle.pintle.dev:installer:op" };
  const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
  expect((await client.get(ClusterRole, role)).rules).not.toContainEqual(secrets);

  const plan = await client.get(ExtensionPlanKind, { name: "op-1.0.1" });
  expect(plan.status?.rightsAdded).toEqual([{ verb: "get", resource: "secrets" }]);
  await approve("op", plan.spec.digest);
  await waitFor("op", hasVersion("1.0.1"));
  expect((await client.get(ClusterRole, role)).rules).toContainEqual(secrets);
  expect(await client.find(ConfigMap, { namespace: NAMESPACE, name: "op-new" })).toBeDefined();
  await remove("op");
}, 120_000);

test("approval: a bundle with webhooks waits for the digest of its plan, and gets certificates that the API server uses", async () => {
  const spec = { extensionName: "hooked", approval: "Manual" as const, certificates: "Pintle" as const };
  await client.create(ExtensionPolicyKind, { metadata: { name: "hooked" }, spec });
  await install("hooked", "hooked", "1.0.0");
  await waitFor("hooked", holds("WaitingForApproval"));
  const plan = await client.get(ExtensionPlanKind, { name: "hooked-1.0.0" });
  await approve("hooked", `sha256:${"0".repeat(64)}`);
  const held = conditionOf(await waitFor("hooked", holds("WaitingForApproval")), "Progressing");
  expect(held).toContain(plan.spec.digest);
  expect(await client.find(CustomResourceDefinition, { name: DEFINITION })).toBeUndefined();
  await approve("hooked", plan.spec.digest);
  await waitFor("hooked", hasVersion("1.0.0"));

  const configuration = await client.waitFor(
    ValidatingWebhookConfiguration,
    { name: WEBHOOK.generateName },
    ({ webhooks }) => webhooks?.[0]?.clientConfig.caBundle !== undefined,
    WAIT,
  );
  const { data = {} } = await client.get(Secret, { namespace: NAMESPACE, name: "op-manager-service-cert" });
  const authority = new X509Certificate(Buffer.from(configuration.webhooks![0]!.clientConfig.caBundle!, "base64"));
  expect(new X509Certificate(Buffer.from(data["tls.crt"]!, "base64")).verify(authority.publicKey)).toBe(true);
  // No program serves the webhook, so the API server fails to call it.
  const kind = await client.discoverKind("example.com/v1", "Op");
  const created = client.create(kind, { metadata: { name: "one", namespace: NAMESPACE }, spec: { size: 1 } } as never);
  await expect(created).rejects.toThrow(`failed calling webhook "${WEBHOOK.generateName}"`);
  await remove("hooked");
  await client.waitForDeletion(ValidatingWebhookConfiguration, { name: WEBHOOK.generateName }, WAIT);
}, 120_000);
