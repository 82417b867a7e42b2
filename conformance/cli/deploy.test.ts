/** deploy, undeploy, install and uninstall on the embedded cluster and on a real one. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { ClusterRole } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { binary } from "../real/index.ts";
import { type CliServer, servers } from "./servers.ts";

/** Asynchronous, because an embedded cluster runs in this process. */
const kubectl = async (...words: string[]) => (await promisify(execFile)(binary("kubectl"), words)).stdout;
const parseDocuments = (text: string) => parseAllDocuments(text).map((each) => each.toJS() as Record<string, any>);
const sortObjects = (objects: readonly Record<string, any>[]) =>
  [...objects].sort((a, b) => (`${a["kind"]} ${a["metadata"].name}` < `${b["kind"]} ${b["metadata"].name}` ? -1 : 1));

/** A deployment with a node selector that no node matches. */
const UNSCHEDULABLE = `export default {
  overlay(object) {
    if (object.kind === "Deployment") object.spec.template.spec.nodeSelector = { "example.com/gpu": "yes" };
    return object;
  },
};
`;
const finalizing = {
  ...shopProject(),
  "src/store.ts": shopProject()["src/store.ts"]!.replace("owns: [ConfigMap],", "owns: [ConfigMap],\n  finalize: () => {},"),
};

test("kubectl kustomize config/default prints dist/install.yaml", async () => {
  using here = createTestProject(shopProject());
  expect(await here.pintle("generate")).toMatchObject({ code: 0 });
  const built = await kubectl("kustomize", path.join(here.root, "config/default"));
  const [ours, theirs] = [parseDocuments(here.read("dist/install.yaml")), parseDocuments(built)];
  expect(sortObjects(theirs)).toEqual(sortObjects(ours));
  // Ours come before the Deployment, so that they are in force when the first pod starts; kustomize sorts them last.
  const kinds = (objects: typeof ours) => objects.map(({ kind }) => kind).filter((kind) => kind !== "NetworkPolicy");
  expect(kinds(theirs)).toEqual(kinds(ours));
});

describe.each(servers)("$name", ({ start }) => {
  let server: CliServer;
  let client: Client;
  beforeAll(async () => {
    server = await start();
    client = await connect({ kubeconfig: server.kubeconfig });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  test("accepts every generated object in a strict dry run and with kubectl apply -k", async () => {
    using here = createTestProject(shopProject());
    await here.pintle("generate");
    const at = ["--kubeconfig", server.kubeconfig];
    const [install, folder] = [path.join(here.root, "dist/install.yaml"), path.join(here.root, "config/default")];
    await kubectl(...at, "create", "namespace", "shop-system");
    expect(await kubectl(...at, "apply", "--dry-run=server", "--validate=strict", "-f", install)).toContain(
      "deployment.apps/shop-controller-manager created (server dry run)",
    );
    await kubectl(...at, "delete", "namespace", "shop-system");
    expect(await kubectl(...at, "apply", "-k", folder)).toContain("deployment.apps/shop-controller-manager created");
    await kubectl(...at, "delete", "--ignore-not-found", "-k", folder);
  });

  test("deploy waits for the rollout and reports changes when repeated; undeploy removes everything", async () => {
    using here = createTestProject(shopProject());
    const at = ["--kubeconfig", server.kubeconfig];
    const first = await here.pintle("deploy", "--image", "shop:1", ...at);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(
      /deployment\.apps\/shop-controller-manager created\n(.*\n)*shop 1\.2\.3 is available in namespace shop-system: \d+ created/,
    );
    expect((await here.pintle("deploy", "--image", "shop:1", ...at)).out).toMatch(/0 created, 0 configured, \d+ unchanged\n/);
    const again = await here.pintle("deploy", "--image", "shop:2", "-o", "json", ...at);
    expect(Object.entries(JSON.parse(again.out)).filter(([, outcome]) => outcome !== "unchanged")).toEqual([
      ["Deployment shop-system/shop-controller-manager", "changed"],
    ]);
    expect(await here.pintle("undeploy", ...at)).toMatchObject({ code: 0, err: "" });
    expect(await client.find(Deployment, { name: "shop-controller-manager", namespace: "shop-system" })).toBeUndefined();
    expect(await client.find(Namespace, { name: "shop-system" })).toBeUndefined();
    expect(await client.find(ClusterRole, { name: "shop-manager-role" })).toBeUndefined();
    expect(await client.find(CustomResourceDefinition, { name: "stores.shop.example.com" })).toBeUndefined();
    expect((await here.pintle("undeploy", ...at)).out).toContain("shop is not deployed\n");
  });

  test("uninstall lists what it would delete and removes Pintle's own finalizers", async () => {
    using here = createTestProject(finalizing);
    const at = ["--kubeconfig", server.kubeconfig];
    expect((await here.pintle("install", ...at)).out).toBe(
      "customresourcedefinition.apiextensions.k8s.io/stores.shop.example.com created\n",
    );
    expect((await here.pintle("install", "-o", "json", ...at)).out).toBe('{"stores.shop.example.com":"unchanged"}\n');
    const Store = await client.discoverKind("shop.example.com/v1", "Store");
    await client.create(Store, { metadata: { name: "a", namespace: "default", finalizers: ["pintle.dev/store"] }, spec: {} } as never);
    const refused = await here.pintle("uninstall", ...at);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/delete 1 stores and their CustomResourceDefinitions: pass --yes/),
    });
    expect(await client.find(Store, { name: "a", namespace: "default" })).toBeDefined();
    const { code, out, err } = await here.pintle("uninstall", "--yes", ...at);
    expect(err).toMatch(/Store default\/a: not finalized by the operator within 10s, removing its finalizer/);
    expect({ code, out }).toEqual({ code: 0, out: "customresourcedefinition.apiextensions.k8s.io/stores.shop.example.com deleted\n" });
    expect((await here.pintle("uninstall", "--yes", ...at)).out).toBe(
      "customresourcedefinition.apiextensions.k8s.io/stores.shop.example.com not found\n",
    );
  });

  test("deploy reports the pod's message when the image cannot run", async () => {
    using here = createTestProject({ ...shopProject(), "pintle.config.ts": UNSCHEDULABLE });
    const at = ["--kubeconfig", server.kubeconfig];
    const { code, err } = await here.pintle("deploy", "--timeout", "5", ...at);
    expect(code).toBe(1);
    expect(err).toMatch(
      /deployment shop-system\/shop-controller-manager is not available after 5s \(PINTLE7057\):\n {2}shop-controller-manager-\S+: Unschedulable: 0\/1 nodes/,
    );
    expect(await here.pintle("undeploy", ...at)).toMatchObject({ code: 0 });
  });
});

test("reports an unreachable cluster in one sentence", async () => {
  using here = createTestProject({
    ...shopProject(),
    kubeconfig: `apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {}}]\n`,
  });
  const { code, err } = await here.pintle("install", "--kubeconfig", path.join(here.root, "kubeconfig"));
  expect(code).toBe(1);
  expect(err).toMatch(/^error: cannot reach cluster \(https:\/\/127\.0\.0\.1:1\): .*'kubectl version' \(PINTLE7054\)\n$/);
});
