/** The command's way into a cluster and out of it again, on the embedded cluster and on a real one. */
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
import { shop, workshop } from "../../packages/cli/test/pintle.ts";
import { binary } from "../real/index.ts";
import { type Server, servers } from "./servers.ts";

/** Not the synchronous form: an embedded cluster lives in this very process. */
const kubectl = async (...words: string[]) => (await promisify(execFile)(binary("kubectl"), words)).stdout;
const documents = (text: string) => parseAllDocuments(text).map((each) => each.toJS() as Record<string, any>);
const sorted = (objects: readonly Record<string, any>[]) =>
  [...objects].sort((a, b) => (`${a["kind"]} ${a["metadata"].name}` < `${b["kind"]} ${b["metadata"].name}` ? -1 : 1));

/** Wants a node that is not there. */
const PICKY = `export default {
  overlay(object) {
    if (object.kind === "Deployment") object.spec.template.spec.nodeSelector = { "example.com/gpu": "yes" };
    return object;
  },
};
`;
const finalizing = {
  ...shop(),
  "src/store.ts": shop()["src/store.ts"]!.replace("owns: [ConfigMap],", "owns: [ConfigMap],\n  finalize: () => {},"),
};

test("kubectl kustomize config/default is dist/install.yaml", async () => {
  using here = workshop(shop());
  expect(await here.pintle("generate")).toMatchObject({ code: 0 });
  const built = await kubectl("kustomize", path.join(here.root, "config/default"));
  const [ours, theirs] = [documents(here.read("dist/install.yaml")), documents(built)];
  expect(sorted(theirs)).toEqual(sorted(ours));
  expect(theirs.map(({ kind }) => kind)).toEqual(ours.map(({ kind }) => kind));
});

describe.each(servers)("$name", ({ start }) => {
  let server: Server;
  let client: Client;
  beforeAll(async () => {
    server = await start();
    client = await connect({ kubeconfig: server.kubeconfig });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  test("takes every generated object in a strict dry run, and kubectl apply -k", async () => {
    using here = workshop({ ...shop(), "pintle.config.ts": "export default { networkPolicy: true };\n" });
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

  test("deploy waits until it runs, says what changed the next time, and undeploy leaves nothing", async () => {
    using here = workshop(shop());
    const at = ["--kubeconfig", server.kubeconfig];
    const first = await here.pintle("deploy", "--image", "shop:1", ...at);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(
      /created {3}Deployment shop-system\/shop-controller-manager\n(.*\n)*shop 1\.2\.3 runs in shop-system: \d+ created/,
    );
    expect((await here.pintle("deploy", "--image", "shop:1", ...at)).out).toMatch(/0 created, 0 changed, \d+ unchanged\n$/);
    const again = await here.pintle("deploy", "--image", "shop:2", "-o", "json", ...at);
    expect(Object.entries(JSON.parse(again.out)).filter(([, outcome]) => outcome !== "unchanged")).toEqual([
      ["Deployment shop-system/shop-controller-manager", "changed"],
    ]);
    expect(await here.pintle("undeploy", ...at)).toMatchObject({ code: 0, err: "" });
    expect(await client.find(Deployment, { name: "shop-controller-manager", namespace: "shop-system" })).toBeUndefined();
    expect(await client.find(Namespace, { name: "shop-system" })).toBeUndefined();
    expect(await client.find(ClusterRole, { name: "shop-manager-role" })).toBeUndefined();
    expect(await client.find(CustomResourceDefinition, { name: "stores.shop.example.com" })).toBeUndefined();
    expect((await here.pintle("undeploy", ...at)).out).toContain("shop was not deployed\n");
  });

  test("uninstall says what would go, and does not hang on our own finalizers", async () => {
    using here = workshop(finalizing);
    const at = ["--kubeconfig", server.kubeconfig];
    expect((await here.pintle("install", ...at)).out).toBe("customresourcedefinition stores.shop.example.com created, established\n");
    expect((await here.pintle("install", "-o", "json", ...at)).out).toBe('{"stores.shop.example.com":"unchanged"}\n');
    const Store = await client.kind("shop.example.com/v1", "Store");
    await client.create(Store, { metadata: { name: "a", namespace: "default", finalizers: ["pintle.dev/store"] }, spec: {} } as never);
    const refused = await here.pintle("uninstall", ...at);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/delete 1 stores with their definitions: say --yes/) });
    expect(await client.find(Store, { name: "a", namespace: "default" })).toBeDefined();
    const { code, out, err } = await here.pintle("uninstall", "--yes", ...at);
    expect(err).toMatch(/Store default\/a: no operator answered within 10 s, so its finalizer is taken off/);
    expect({ code, out }).toEqual({ code: 0, out: "customresourcedefinition stores.shop.example.com deleted\n" });
    expect((await here.pintle("uninstall", "--yes", ...at)).out).toBe("customresourcedefinition stores.shop.example.com was not there\n");
  });

  test("an image that cannot run is reported in the pod's own words", async () => {
    using here = workshop({ ...shop(), "pintle.config.ts": PICKY });
    const at = ["--kubeconfig", server.kubeconfig];
    const { code, err } = await here.pintle("deploy", "--timeout", "5", ...at);
    expect(code).toBe(1);
    expect(err).toMatch(
      /Deployment shop-system\/shop-controller-manager is not available after 5 s\n {2}shop-controller-manager-\S+: Unschedulable: 0\/1 nodes/,
    );
    expect(await here.pintle("undeploy", ...at)).toMatchObject({ code: 0 });
  });
});

test("a cluster that does not answer: one sentence", async () => {
  using here = workshop({
    ...shop(),
    kubeconfig: `apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {}}]\n`,
  });
  const { code, err } = await here.pintle("install", "--kubeconfig", path.join(here.root, "kubeconfig"));
  expect(code).toBe(1);
  expect(err).toMatch(/^pintle: cluster \(https:\/\/127\.0\.0\.1:1\) does not answer: .*kubectl version\n$/);
});
