import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { ClusterCatalogKind } from "@pintle/lifecycle/manager";
import { Deployment } from "pintle/kinds/apps/v1";
import { Namespace, Service } from "pintle/kinds/core/v1";
import { NetworkPolicy } from "pintle/kinds/networking/v1";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startRegistryServer } from "../../src/local-cluster/index.ts";
import { createTestProject } from "../test-project.ts";
import { createRepository } from "./published-image.ts";

const NAMESPACE = "olmv1-system";
let cluster: Cluster;
let project: ReturnType<typeof createTestProject>;

beforeEach(async () => {
  project = createTestProject();
  cluster = await startCluster({ http: true });
  await cluster.writeKubeconfig(path.join(project.root, "kubeconfig"));
});
afterEach(async () => {
  await cluster.stop();
  project[Symbol.dispose]();
});

const setup = (...words: string[]) => project.pintle("operator", "setup", ...words, "--kubeconfig", path.join(project.root, "kubeconfig"));
const manager = { namespace: NAMESPACE, name: "pintle-lifecycle-manager" };

/** What upstream's manifests install, as far as it concerns another manager. */
async function installUpstream() {
  const client = cluster.client();
  await client.create(Namespace, { metadata: { name: NAMESPACE } });
  for (const name of ["catalogd", "operator-controller"]) {
    const labels = { "control-plane": `${name}-controller-manager` };
    const secret = { name: "certs", secret: { secretName: `${name}-cert` } };
    await client.create(Deployment, {
      metadata: { namespace: NAMESPACE, name: `${name}-controller-manager` },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "manager", image: "a:1", volumeMounts: [{ name: "certs", mountPath: "/var/certs" }] }],
            volumes: [secret],
          },
        },
      },
    });
  }
}

test("installs the manager once, changes it on demand, and removes it with everything that it needed", async () => {
  const client = cluster.client();
  const first = await setup("--image", "example.com/manager:1");
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain("deployment.apps/pintle-lifecycle-manager created\n");
  expect(first.out).toContain("lifecycle manager 0.1.0 is set up in namespace olmv1-system: 15 created, 0 configured, 0 unchanged\n");
  expect(first.out).toContain("simulated: the operator's pod runs no program");
  expect((await setup()).out).toContain("0 created, 0 configured, 15 unchanged\n");

  await client.patch(Deployment, manager, { merge: { metadata: { labels: { "app.kubernetes.io/version": "0.0.9" } } } });
  const obsolete = { "app.kubernetes.io/managed-by": "pintle-operator-setup" };
  await client.create(NetworkPolicy, { metadata: { namespace: NAMESPACE, name: "of-0-0-9", labels: obsolete }, spec: { podSelector: {} } });
  const upgraded = await setup("--image", "example.com/manager:2", "--feature-gates", "DeploymentConfig=true");
  expect(upgraded.out).toContain("deployment.apps/pintle-lifecycle-manager configured\n");
  expect(upgraded.out).toContain("networkpolicy.networking.k8s.io/of-0-0-9 deleted\n");
  const { spec } = await client.get(Deployment, manager);
  expect(spec.template.spec?.containers[0]).toMatchObject({ image: "example.com/manager:2" });

  const removed = await setup("--remove");
  expect(removed).toMatchObject({ code: 0, err: "" });
  expect(removed.out).toMatch(/lifecycle manager removed from namespace olmv1-system\n$/);
  expect(await client.find(Namespace, { name: NAMESPACE })).toBeUndefined();
  expect((await setup("--remove")).out).toBe("the lifecycle manager is not installed\n");
});

test("keeps CRDs and namespace while there are catalogs or extensions", async () => {
  await setup("--image", "example.com/manager:1", "--no-wait");
  const client = cluster.client();
  await client.create(ClusterCatalogKind, {
    metadata: { name: "main", labels: { "olm.operatorframework.io/metadata.name": "main" } },
    spec: { source: { type: "Image", image: { ref: "example.com/main:latest" } } },
  });
  expect((await setup("--remove")).out).toMatch(
    /removed from namespace olmv1-system; CRDs and namespace olmv1-system were kept for 1 clustercatalogs\n$/,
  );
  expect(await client.find(ClusterCatalogKind, { name: "main" })).toBeDefined();
  expect(await client.find(Deployment, manager)).toBeUndefined();
});

test("refuses a cluster in which upstream runs, takes over from it, and hands back", async () => {
  const client = cluster.client();
  await installUpstream();
  const refused = await setup("--image", "example.com/manager:1");
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(
    /already runs OLM v1: Deployments olmv1-system\/catalogd-controller-manager and olmv1-system\/operator-controller-controller-manager\. Pass --take-over .* \(PINTLE7130\)/,
  );
  expect(await client.find(Deployment, manager)).toBeUndefined();

  const taken = await setup("--image", "example.com/manager:1", "--take-over");
  expect(taken).toMatchObject({ code: 0, err: "" });
  expect(taken.out).toContain("Deployment/catalogd-controller-manager stopped; it had 2 replicas\n");
  const replicas = async (name: string) =>
    (await client.get(Deployment, { namespace: NAMESPACE, name: `${name}-controller-manager` })).spec.replicas;
  expect([await replicas("catalogd"), await replicas("operator-controller")]).toEqual([0, 0]);
  const volumes = (await client.get(Deployment, manager)).spec.template.spec?.volumes;
  expect(volumes).toContainEqual(expect.objectContaining({ secret: expect.objectContaining({ secretName: "catalogd-cert" }) }));
  expect(await setup()).toMatchObject({ code: 0, err: "", out: expect.stringContaining("0 created, 0 configured, 15 unchanged") });

  const back = await setup("--remove");
  expect(back.out).toContain("Deployment/catalogd-controller-manager started again\n");
  expect([await replicas("catalogd"), await replicas("operator-controller")]).toEqual([2, 2]);
  expect(await client.find(Deployment, manager)).toBeUndefined();
  expect(await client.find(Service, { namespace: NAMESPACE, name: "catalogd-service" })).toBeDefined();
});

test("prints the objects without a cluster", async () => {
  const { code, out } = await project.pintle(
    "operator",
    "setup",
    "--dry-run",
    "--image",
    "example.com/manager:1",
    "--replicas",
    "2",
    "-o",
    "json",
  );
  expect(code).toBe(0);
  expect(JSON.parse(out)).toHaveLength(15);
  const yaml = await project.pintle("operator", "setup", "--dry-run", "--image", "example.com/manager:1");
  expect(yaml.out).toMatch(/^---\napiVersion: apiextensions.k8s.io\/v1\n/);
});

test.each([
  [["--dry-run"], /missing --image, for example/],
  [["--dry-run", "--image", "a:1", "--replicas", "none"], /invalid --replicas "none"/],
  [[], /missing --image/],
])("says what is wrong with %j", async (words, message) => {
  const { code, err } = await setup(...words);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});

test("builds the image of the manager from this installation and pushes it", async () => {
  await using registry = await startRegistryServer();
  const image = `${registry.host}/manager:1`;
  const pushed = await setup("--image", image, "--push", "--insecure-registry", "--no-wait");
  expect(pushed).toMatchObject({ code: 0, err: "" });
  const [, digest] = /manager:1 {2}(sha256:[0-9a-f]{64}) pushed\n/.exec(pushed.out) ?? [];
  const config = await createRepository(image).readConfig();
  expect(config).toMatchObject({ digest, config: { Entrypoint: ["node", "/app/main.js"], User: "65532:65532" } });
});
