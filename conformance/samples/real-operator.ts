/**
 * Replaces `@pintle/cluster/vitest` in an example's tests: `clusterTest` runs their operator against a real control plane with a simulated node. All tests of
 * a file share it, and the operator, which has the permissions that its code declares.
 */
import type { ClusterTestOptions, OperatorTestOptions } from "@pintle/cluster/vitest";
import { type Clock, type Manager, silentLogger, startManager } from "pintle";
import type { Client, ClientOptions } from "pintle/client";
import { connect } from "pintle/client";
import { collectResources, derivePermissions } from "pintle/internal/manager";
import { buildClientConfig, buildWebhookConfigurations, describeWebhooks, serveWebhooks, webhookNames } from "pintle/internal/webhook";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { createCertificateAuthority } from "pintle/tls";
import { afterAll, test } from "vitest";
import { systemClock } from "../../packages/pintle/src/clock/index.ts";
import { isEstablished } from "../webhook/operator.ts";
import { sharedControlPlane, startCluster } from "./real-cluster.ts";

const HOST = "127.0.0.1";
const within = { timeout: 60_000 };
const NO_OBSERVER = { paths() {}, started() {}, finished() {}, conversionThrew() {}, certificateLoaded() {} };
let operators = 0;

/** What tests use of a cluster on both servers. */
interface RealCluster {
  client(options?: ClientOptions): Client;
}

/** A virtual clock is that of the operator only. */
export function clusterTest({ operator, setup, clock = systemClock }: ClusterTestOptions) {
  let starting: Promise<RunningOperator> | undefined;
  const start = () => (starting ??= startOperator(operator, setup, clock));
  afterAll(async () => (await starting)?.stop());
  return test.extend<{ cluster: RealCluster; client: Client; namespace: string; operator: Manager }>({
    cluster: async ({ task: _ }, use) => use((await start()).cluster),
    operator: async ({ task: _ }, use) => use((await start()).manager),
    client: async ({ cluster }, use) => use(cluster.client()),
    namespace: async ({ client }, use) => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
      // Pods are refused without it.
      await client.waitFor(ServiceAccount, { name: "default", namespace: metadata.name }, () => true, within);
      await use(metadata.name);
    },
  });
}

interface RunningOperator {
  readonly cluster: RealCluster;
  readonly manager: Manager;
  stop(): Promise<void>;
}

async function startOperator(
  option: ClusterTestOptions["operator"],
  setup: ClusterTestOptions["setup"],
  clock: Clock,
): Promise<RunningOperator> {
  const name = `operator-${++operators}`;
  const { kubeconfig } = await sharedControlPlane();
  const cluster = await startCluster();
  const admin = cluster.client();
  const { controllers = [], webhooks = [], ...options }: OperatorTestOptions = await resolve(option, cluster, admin);
  const resources = collectResources({ controllers, webhooks, ...options });
  const authority = createCertificateAuthority(name, systemClock.now());
  const server = await serveWebhooks({
    webhooks,
    resources,
    host: HOST,
    port: 0,
    certificates: { pair: authority.issueServerCertificate({ commonName: name }, [HOST]) },
    client: admin,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    observer: NO_OBSERVER,
    signal: new AbortController().signal,
  });
  const endpoint = { url: `https://${HOST}:${server.port}` };
  for (const resource of resources) {
    const crd = resource.crd({ conversion: buildClientConfig(endpoint, "/convert", authority.certificate) as never });
    await admin.apply(CustomResourceDefinition, crd as never, { force: true });
    await admin.waitFor(CustomResourceDefinition, { name: crd.metadata.name }, isEstablished, within);
  }
  const configurations = buildWebhookConfigurations(describeWebhooks(webhooks, []).webhooks, {
    names: webhookNames(name),
    endpoint,
    namespace: name,
    caCertificate: authority.certificate,
  });
  const kindOf = (object: { readonly kind?: unknown }) =>
    object.kind === "MutatingWebhookConfiguration" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
  for (const object of configurations) await admin.apply(kindOf(object), object as never, { force: true });
  const { watchedNamespaces, ownNamespace, clusterWide } = derivePermissions(controllers, options);
  const rules = [...watchedNamespaces, ...ownNamespace, ...clusterWide];
  await admin.apply(ClusterRole, { metadata: { name }, rules } as never);
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  await admin.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects: [{ kind: "User", name }] });
  const client = await connect({ kubeconfig, onWarning: () => {}, impersonate: { user: name } });
  const manager = startManager({
    ...options,
    controllers,
    webhooks,
    client,
    clock,
    logger: options.logger ?? silentLogger,
    webhookServer: { address: "0" },
  });
  await manager.ready;
  await setup?.({ cluster: cluster as never, client: admin });
  return {
    cluster,
    manager,
    async stop() {
      await manager.stop();
      for (const object of configurations) await admin.delete(kindOf(object), { name: (object as any).metadata.name });
      await server.close(0);
      await client.close();
      await cluster.stop();
    },
  };
}

async function resolve(option: ClusterTestOptions["operator"], cluster: RealCluster, client: Client): Promise<OperatorTestOptions> {
  return typeof option === "function" ? option({ cluster: cluster as never, client }) : (option ?? {});
}
