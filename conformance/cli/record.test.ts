/** `pintle record` of an operator on a real cluster: the causes of what kube-controller-manager writes are inferred, and the decisions are replayed. */
import { spawn } from "node:child_process";
import path from "node:path";
import { readTrace } from "@pintle/cluster";
import { defineResource, z } from "pintle";
import { connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { expect, onTestFailed, test } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { startControlPlane } from "../real/index.ts";
import { freePorts } from "../real/programs/ports.ts";
import { install } from "../runtime/servers.ts";

const TSX = import.meta.resolve("tsx");
const NAMESPACE = "default";
const operator = `import { controller, createFlightRecorder, defineResource, run, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
const Site = defineResource({
  group: "record.example.com", version: "v1", kind: "Site",
  spec: z.object({ image: z.string() }), status: z.object({ observed: z.int() }),
});
const sites = controller(Site, {
  owns: [Deployment],
  reconcile({ object: { metadata, spec }, owned, want }) {
    const labels = { site: metadata.name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: spec.image }] } };
    const web = Deployment.desired({ metadata: { name: metadata.name }, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
    return want({ children: { web }, status: { observed: owned(Deployment).get(metadata.name)?.status?.observedGeneration ?? 0 } });
  },
});
await run({
  controllers: [sites],
  recorder: createFlightRecorder(),
  metrics: { address: "127.0.0.1:" + process.env.METRICS_PORT, requireAuthorization: true },
  health: "0",
});
`;
const Site = defineResource({
  group: "record.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ image: z.string() }),
  status: z.object({ observed: z.int() }),
});

test("an operator on a real cluster is recorded: inferred causes are marked, the file is clean, and its decisions are replayed", {
  timeout: 60_000,
}, async () => {
  await using plane = await startControlPlane({ controllerManager: true });
  const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Site);
  await client.create(ServiceAccount, { metadata: { name: "reader", namespace: NAMESPACE } });
  await client.create(ClusterRole, { metadata: { name: "reader" }, rules: [{ nonResourceURLs: ["/recording"], verbs: ["get"] }] });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: NAMESPACE }],
  });
  using project = createTestProject({
    "package.json": JSON.stringify({ name: "sites", version: "1.0.0", type: "module" }),
    "src/main.ts": operator,
  });
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", TSX, path.join(project.root, "src/main.ts")], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfig, METRICS_PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  onTestFailed(() => console.log(log));
  const exit = new Promise((resolve) => child.once("exit", resolve));
  try {
    const site = { metadata: { name: "a", namespace: NAMESPACE }, spec: { image: "web:1" } };
    await client.create(Site, site, { fieldManager: "kubectl" });
    const seen = (generation: number) =>
      client.waitFor(Site, { name: "a", namespace: NAMESPACE }, ({ status }) => status?.observed === generation, { timeout: 30_000 });
    await seen(1);
    const end = new AbortController();
    let isChanged: Promise<unknown> | undefined;
    const output = { out: "", err: "" };
    const words = ["--url", `https://127.0.0.1:${port}`, "-n", NAMESPACE, "--service-account", "reader", "--for", "5m", "--history"];
    const code = await main(["record", "--kubeconfig", plane.kubeconfig, ...words, "-o", "a.pintle-trace"], {
      out: (text) => (output.out += text),
      err(text) {
        output.err += text;
        const change = async () => {
          await client.patch(Site, site.metadata, { merge: { spec: { image: "web:2" } } }, { fieldManager: "kubectl" });
          await seen(2);
        };
        isChanged ??= change().finally(() => end.abort(new Error("interrupted")));
      },
      tty: false,
      cwd: project.root,
      signal: end.signal,
    });
    await isChanged;
    expect({ code, ...output }).toMatchObject({ code: 0, out: expect.stringMatching(/^wrote a\.pintle-trace: [1-9]\d* runs/) });
    const { facts, manifest } = await readTrace(path.join(project.root, "a.pintle-trace"));
    expect(manifest.about.source).toBe("operator");
    expect(new Set(facts.map(({ type }) => type))).toContain("commit");

    // kube-controller-manager sends no run id: its answer names the generation that it has seen.
    const story = await project.pintle("trace", "show", "a.pintle-trace", "deployments", "a");
    expect(story.out).toMatch(/by field manager kube-controller-manager[\s\S]*because of \(inferred: observedGeneration\)/);
    expect(story.out).toMatch(/\.spec\.template\.spec\.containers .*web:1.* -> .*web:2/);
    expect(story.out).toMatch(/by site, run \S+ of default\/a/);
    expect(await project.pintle("trace", "check", "a.pintle-trace")).toMatchObject({
      code: 0,
      out: expect.stringContaining("no secrets found"),
    });
    const replayed = await project.pintle("replay", "a.pintle-trace");
    expect(replayed.out).toMatch(/[1-9]\d* runs, \d+ passes: [1-9]\d* the same, 0 otherwise, 0 not comparable\n$/);
    expect(replayed.code).toBe(0);
    expect(await client.get(Deployment, site.metadata)).toMatchObject({ metadata: { generation: 2 } });
  } finally {
    child.kill("SIGTERM");
    await exit;
    await client.close();
  }
});
