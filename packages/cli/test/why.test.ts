import path from "node:path";
import { connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { startCommand } from "./start-command.ts";
import { createTestProject, shopProject } from "./test-project.ts";

const connectTo = async (here: ReturnType<typeof createTestProject>) => {
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
  onTestFinished(() => client.close());
  return client;
};

test("why explains a pod of a running cluster up to the request of the user, as text and as JSON", { timeout: 60_000 }, async () => {
  using here = createTestProject();
  const up = startCommand(here.root, "cluster", "up", "--record");
  await up.until(/Ctrl-C/);
  const client = await connectTo(here);
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  await client.create(Deployment, {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  await client.waitFor(Deployment, { name: "web", namespace: "default" }, ({ status }) => status?.readyReplicas === 1, { timeout: 30_000 });
  const pod = (await client.list(Pod, { namespace: "default" })).items[0]!;

  const text = await here.pintle("why", "pod", pod.metadata.name);
  expect(text).toMatchObject({ code: 0, err: "" });
  const lines = text.out.split("\n");
  expect(lines[0]).toMatch(/^r\d+ wrote pods\/default\/web-\S+: /);
  for (const part of ["by kubelet node-1, run ", "by scheduler, run ", "by replicaset-controller, run ", "by deployment-controller, run "])
    expect(text.out).toContain(part);
  expect(text.out).toMatch(/wrote deployments\/default\/web\n +by kubernetes-admin \(pintle\): create/);
  const json = await here.pintle("why", "deployments.apps/web", "--field", ".spec.replicas", "-o", "json");
  expect(JSON.parse(json.out)).toMatchObject({
    commit: { operation: "put", key: "/registry/deployments/default/web" },
    request: { user: "kubernetes-admin", verb: "create" },
    causes: [],
  });
  const revision = String(JSON.parse(json.out).commit.revision);
  expect((await here.pintle("why", "deployment", "web", "--revision", revision)).out).toContain(
    `r${revision} wrote deployments/default/web\n`,
  );

  const failure = async (...words: string[]) => {
    const { code, err } = await here.pintle("why", ...words);
    return [code, err];
  };
  expect(await failure("deployment", "none")).toEqual([
    1,
    expect.stringContaining("deployments/default/none has no commit in the history that the store retains"),
  ]);
  expect(await failure("deployment", "web", "--field", ".spec.nothing")).toEqual([
    1,
    expect.stringContaining("has no field .spec.nothing"),
  ]);
  expect(await failure("deploymints", "web")).toEqual([1, expect.stringContaining("serves no resource deploymints")]);
  expect(await failure("deployment")).toEqual([2, expect.stringContaining("missing argument")]);
  expect(await failure("deployment", "web", "--revision", "x")).toEqual([2, expect.stringContaining('invalid --revision "x"')]);
  expect(await failure("deployment", "web", "--revision", "1", "--field", ".a")).toEqual([
    2,
    expect.stringContaining("cannot be combined"),
  ]);
  expect(await up.stop()).toBe(0);
  expect(await failure("deployment", "web")).toEqual([1, expect.stringContaining("no cluster is running")]);
});

test("why names the option when the cluster is not recorded", { timeout: 60_000 }, async () => {
  using here = createTestProject();
  const up = startCommand(here.root, "cluster", "up");
  await up.until(/Ctrl-C/);
  const { code, err } = await here.pintle("why", "namespaces", "default");
  expect([code, err]).toEqual([1, expect.stringContaining("pintle cluster up --record")]);
  expect(await up.stop()).toBe(0);
});

test("why explains writes of the operator that pintle dev runs in another process", { timeout: 120_000 }, async () => {
  using here = createTestProject({
    ...shopProject(),
    "src/store.ts": shopProject()
      ["src/store.ts"]!.replace("({ want }) =>", "({ object, want }) =>")
      .replace(
        "children: {}",
        'children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { word: "one" } }) }',
      ),
    "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
  });
  const dev = startCommand(here.root, "dev", "--samples");
  await dev.until(/store\.shop\.example\.com\/demo created/);
  const client = await connectTo(here);
  await client.waitFor(ConfigMap, { name: "demo", namespace: "default" }, ({ data }) => data?.["word"] === "one", { timeout: 60_000 });
  // The fact of the run arrives through a pipe when the run has ended.
  let out = "";
  while (!out.includes("by store, run ")) ({ out } = await here.pintle("why", "configmap", "demo"));
  expect(out).toMatch(/^r\d+ wrote configmaps\/default\/demo\n {2}by store, run \S+ of default\/demo: waited .* ms, took .* ms\n/);
  expect(out).toMatch(/because of\n {2}r\d+ wrote shop\.example\.com\/stores\/default\/demo.*\n {4}by kubernetes-admin/);
  expect((await here.pintle("cluster", "down")).err).toContain("the cluster belongs to 'pintle dev'");
  expect(await dev.stop()).toBe(0);
  expect(here.has(".pintle/kubeconfig.cluster.json")).toBe(false);
});
