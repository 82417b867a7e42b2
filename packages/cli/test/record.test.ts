import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type Cluster, readTrace, startCluster } from "@pintle/cluster";
import { defineResource, encodeSecretData, z } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Namespace, Pod, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../src/main.ts";
import { createTestProject } from "./test-project.ts";

const NAMESPACE = "notes-system";
const SECRET = "correct horse battery";
const operator = `import { allow, controller, createFlightRecorder, defineResource, run, z } from "pintle";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const notes = controller(Note, {
  concurrency: 1,
  owns: [ConfigMap],
  needs: [allow(Secret, "get")],
  async reconcile({ object: { metadata, spec }, want, client, log }) {
    const { data } = await client.get(Secret, { namespace: metadata.namespace, name: "password" });
    log.info("the password is " + Buffer.from(data.password, "base64").toString());
    return want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } });
  },
});
const recorder = process.env.RECORD === "no" ? undefined : createFlightRecorder();
await run({ controllers: [notes], recorder, metrics: ":" + process.env.METRICS_PORT, health: "127.0.0.1:" + process.env.HEALTH_PORT });
`;
const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });

/** The operator runs in a pod of a process node; its recording is fetched as in production, with a port that the API server forwards. */
describe.runIf(process.platform === "linux")("pintle record", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-record-"));
  const project = createTestProject({
    "package.json": JSON.stringify({ name: "notes", version: "1.0.0", type: "module" }),
    "src/main.ts": operator,
  });
  const kubeconfig = path.join(folder, "kubeconfig");
  let cluster: Cluster;
  let client: Client;

  beforeAll(async () => {
    cluster = await startCluster({ http: true, nodes: { kind: "process", mode: "loopback" } });
    await cluster.ready;
    client = cluster.client();
    await cluster.writeKubeconfig(kubeconfig);
    await client.create(CustomResourceDefinition, Note.crd() as never);
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    await client.create(Secret, { metadata: { name: "password", namespace: "default" }, data: encodeSecretData({ password: SECRET }) });
    for (const name of ["reader", "stranger"]) await client.create(ServiceAccount, { metadata: { name, namespace: NAMESPACE } });
    await client.create(ClusterRole, {
      metadata: { name: "recording-reader" },
      rules: [{ nonResourceURLs: ["/recording"], verbs: ["get"] }],
    });
    await client.create(ClusterRoleBinding, {
      metadata: { name: "recording-reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "recording-reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: NAMESPACE }],
    });
    await deploy("notes", []);
    await deploy("silent", [{ name: "RECORD", value: "no" }]);
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    project[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  async function deploy(name: string, env: readonly object[]): Promise<void> {
    const [port, health] = [await findFreePort(), await findFreePort()];
    const labels = { app: name };
    const container = {
      name: "manager",
      image: "node",
      command: [process.execPath, "--conditions=@pintle/source", "--import", "tsx", path.join(project.root, "src/main.ts")],
      workingDir: project.root,
      env: [
        { name: "KUBECONFIG", value: kubeconfig },
        { name: "METRICS_PORT", value: String(port) },
        { name: "HEALTH_PORT", value: String(health) },
        ...env,
      ],
      ports: [{ name: "metrics", containerPort: port }],
      readinessProbe: { httpGet: { host: "127.0.0.1", port: health, path: "/readyz" }, periodSeconds: 1 },
    };
    await client.create(Deployment, {
      metadata: { name: `${name}-controller-manager`, namespace: NAMESPACE },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    } as never);
    const isAvailable = ({ status }: { readonly status: { readonly availableReplicas?: number | undefined } }) =>
      status.availableReplicas === 1;
    await client.waitFor(Deployment, { namespace: NAMESPACE, name: `${name}-controller-manager` }, isAvailable, { timeout: 60_000 });
  }
  /** Reads the log of the pod of a deployment until a line matches. */
  async function waitForLog(app: string, line: RegExp): Promise<void> {
    const { items } = await client.list(Pod, { namespace: NAMESPACE, labels: { app } });
    const lines = createInterface(
      Readable.from(client.logs(Pod, { namespace: NAMESPACE, name: items[0]!.metadata.name }, { follow: true })),
    );
    for await (const text of lines) if (line.test(text)) return;
    throw new Error(`the log of ${app} ended without ${line}`);
  }
  /** Runs the command; `until` is told the text of standard error, and ends it as Ctrl-C does when it returns true. */
  async function record(words: readonly string[], onError: (text: string, interrupt: () => void) => void = () => {}) {
    const output = { out: "", err: "" };
    const interrupt = new AbortController();
    const code = await main(["record", "--kubeconfig", kubeconfig, "-n", NAMESPACE, ...words], {
      out: (text) => (output.out += text),
      err(text) {
        output.err += text;
        onError(output.err, () => interrupt.abort(new Error("interrupted")));
      },
      tty: false,
      cwd: folder,
      signal: interrupt.signal,
    });
    return { code, ...output };
  }
  const reader = ["--deployment", "notes-controller-manager", "--service-account", "reader"];

  test("records until Ctrl-C, without secrets, and the file is shown with inferred causes and passes the check", {
    timeout: 120_000,
  }, async () => {
    let isWritten = Promise.resolve();
    const result = await record([...reader, "--for", "10m", "-o", "a.pintle-trace"], (_, interrupt) => {
      isWritten = (async () => {
        await client.create(Note, { metadata: { name: "a", namespace: "default" }, spec: { text: "one" } }, { fieldManager: "kubectl" });
        // The run is recorded when its end is logged; the ConfigMap is there before.
        await waitForLog("notes", /Reconciled.*\ba\b/);
        interrupt();
      })();
    });
    await isWritten;
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^wrote a\.pintle-trace: [1-9]\d* runs/) });
    const file = path.join(folder, "a.pintle-trace");
    const trace = await readTrace(file);
    expect(trace.manifest.about.source).toBe("operator");
    const types = new Set(trace.facts.map(({ type }) => type));
    for (const type of ["run", "plan", "request", "log", "enqueue", "object", "commit"] as const) expect(types).toContain(type);
    const text = JSON.stringify(trace);
    expect(text).toContain("the password is (redacted ");
    for (const secret of [SECRET, Buffer.from(SECRET).toString("base64"), "Bearer"]) expect(text).not.toContain(secret);

    expect(await project.pintle("trace", "check", file)).toMatchObject({ code: 0, out: expect.stringContaining("no secrets found") });
    const story = await project.pintle("trace", "show", file, "notes", "a");
    expect(story.out).toContain("by field manager kubectl");
    expect(story.out).toMatch(/run \S+ of note: success/);
    const child = await project.pintle("trace", "show", file, "configmaps", "a");
    expect(child.out).toMatch(/wrote configmaps\/default\/a\n +by note, run \S+ of default\/a/);
    const replayed = await project.pintle("replay", file);
    expect(replayed.out).toMatch(/reads? .*secret|not compared|cannot be compared|redacted/i);
    // A test of a run that cannot be compared could not fail.
    const [, run = ""] = /run (\S+) of note default\/a[^\n]*\n {2}pass \d+: not comparable/.exec(replayed.out) ?? [];
    const asTest = await project.pintle("replay", file, "--run", run, "--as-test", "test/regression.test.ts");
    expect(asTest).toMatchObject({ code: 1, out: "", err: expect.stringMatching(`no test of run ${run}: pass \\d+ cannot be compared: `) });
    expect(existsSync(path.join(project.root, "test/regression.test.ts"))).toBe(false);
  });

  test("names what is missing: the recorder, the right, the token", { timeout: 120_000 }, async () => {
    const silent = ["--deployment", "silent-controller-manager", "--service-account", "reader"];
    const off = await record([...silent, "--for", "1s"]);
    expect(off).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("is not recorded: pass `recorder: createFlightRecorder()` to run()"),
    });
    const denied = await record(["--deployment", "notes-controller-manager", "--service-account", "stranger", "--for", "1s"]);
    expect(denied).toMatchObject({ code: 1, err: expect.stringContaining("nonResourceURL /recording") });
    expect(await record(["--deployment", "notes-controller-manager", "--for", "1h"])).toMatchObject({ code: 2 });
    expect(await record(["--url", "https://example.com:8443"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("not on this machine"),
    });
    // The user of this kubeconfig has a certificate.
    expect(await record(["--deployment", "notes-controller-manager"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("has no token that an operator could verify"),
    });
    expect(await record(["--deployment", "none"])).toMatchObject({ code: 1, err: expect.stringContaining("there is no Deployment none") });
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
