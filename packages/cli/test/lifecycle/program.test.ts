import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Cluster, startCluster } from "@pintle/cluster";
import { LEASE_NAMES, type ProgramFlags, parseProgramFlags, type RunningProgram, startProgram } from "@pintle/lifecycle/internal/program";
import { ClusterCatalogKind, installLifecycleManager } from "@pintle/lifecycle/manager";
import { createClient, type Transport } from "pintle/client";
import { silentLogger } from "pintle/internal/controller";
import { MutatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Secret } from "pintle/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCatalog } from "./bundles.ts";
import { createImages } from "./world.ts";

const NAMESPACE = "olmv1-system";
const FAST = ["--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=1s"];
const ADDRESSES = ["--health-probe-bind-address=127.0.0.1:0", "--catalogs-server-addr=127.0.0.1:0", "--webhook-server-port=0"];

let cluster: Cluster;
let folder: string;
let programs: RunningProgram[];
let children: ChildProcess[];

beforeEach(async () => {
  [programs, children] = [[], []];
  folder = mkdtempSync(path.join(tmpdir(), "pintle-program-"));
  cluster = await startCluster({ http: true });
  await installLifecycleManager(cluster.client());
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const program of programs) await program.stop();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program in this process; `transport` is its only way to the cluster. */
async function start(
  name: string,
  args: readonly string[],
  transport: Transport = cluster.transport,
  more: Partial<ProgramFlags> = {},
): Promise<RunningProgram> {
  const images = createImages();
  images.catalogs.set("example.com/main:latest", createCatalog([{ version: "1.0.0" }]));
  const flags = { ...parseProgramFlags([...ADDRESSES, `--cache-dir=${path.join(folder, name)}`, ...args], {}), ...more };
  const program = await startProgram({ flags, transport, logger: silentLogger, env: {}, images: images.source });
  programs.push(program);
  return program;
}

const createMainCatalog = () =>
  cluster.client().create(ClusterCatalogKind, {
    metadata: { name: "main" },
    spec: { source: { type: "Image", image: { ref: "example.com/main:latest" } } },
  });

const waitUntilServing = () =>
  cluster
    .client()
    .waitFor(
      ClusterCatalogKind,
      { name: "main" },
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Serving" && is === "True") === true,
      {
        timeout: 20_000,
      },
    );

const readAll = (program: RunningProgram) => fetch(`http://127.0.0.1:${program.catalogPort}/catalogs/main/api/v1/all`);

/** Who holds the leases, in their order. */
async function readHolders(): Promise<readonly (string | undefined)[]> {
  const client = cluster.client();
  return Promise.all(LEASE_NAMES.map(async (name) => (await client.find(Lease, { namespace: NAMESPACE, name }))?.spec?.holderIdentity));
}

describe("leader election", () => {
  test("holds both leases of upstream, and only the leader has catalogs; another process follows at once when it stops", async () => {
    const first = await start("a", ["--leader-elect", ...FAST]);
    await first.leading;
    const second = await start("b", ["--leader-elect", ...FAST]);
    const [catalogd, controller] = await readHolders();
    expect([catalogd, controller]).toEqual([expect.stringMatching(/_/), catalogd]);
    await createMainCatalog();
    expect((await waitUntilServing()).status?.urls?.base).toBe(`http://catalogd-service.${NAMESPACE}.svc/catalogs/main`);
    expect((await readAll(first)).status).toBe(200);
    expect((await readAll(second)).status).toBe(404);
    await first.stop();
    await second.leading;
    expect((await readHolders())[1]).not.toBe(controller);
    await expect.poll(async () => (await readAll(second)).status, { timeout: 10_000 }).toBe(200);
  });

  test("passes on when the leader is gone without a word, and the old leader cannot write again", async () => {
    let isConnected = true;
    const transport: Transport = {
      ...cluster.transport,
      request(each) {
        if (isConnected) return cluster.transport.request(each);
        return new Promise((_, reject) => each.signal?.addEventListener("abort", () => reject(each.signal!.reason as Error)));
      },
      close: async () => {},
    };
    const first = await start("a", ["--leader-elect", ...FAST], transport);
    await first.leading;
    const lost = expect(first.failed).rejects.toThrow("was lost: it was not renewed for 2 s");
    const second = await start("b", ["--leader-elect", ...FAST]);
    isConnected = false;
    await lost;
    await second.leading;
    await createMainCatalog();
    await waitUntilServing();
    expect((await readAll(second)).status).toBe(200);
  });

  test("waits while upstream's programs hold the leases", async () => {
    const client = createClient(cluster.transport);
    const [catalogd, controller] = LEASE_NAMES as [string, string];
    const spec = { holderIdentity: "upstream", leaseDurationSeconds: 3600, renewTime: "2026-01-01T00:00:00.000000Z" };
    await client.create(Lease, { metadata: { namespace: NAMESPACE, name: controller }, spec });
    const program = await start("a", ["--leader-elect", ...FAST]);
    await client.waitFor(Lease, { namespace: NAMESPACE, name: catalogd }, (lease) => (lease.spec?.holderIdentity ?? "") !== "", {
      timeout: 10_000,
    });
    let isLeading = false;
    const leading = program.leading.then(() => {
      isLeading = true;
    });
    await createMainCatalog();
    expect([isLeading, (await readHolders())[1]]).toEqual([false, "upstream"]);
    await client.patch(
      Lease,
      { namespace: NAMESPACE, name: controller },
      { merge: { spec: { holderIdentity: "", leaseDurationSeconds: 1 } } },
    );
    await leading;
    await waitUntilServing();
  });
});

describe("certificates", () => {
  test("are issued for the Service, and the webhook gives catalogs their label", async () => {
    const client = cluster.client();
    await client.create(MutatingWebhookConfiguration, {
      metadata: { name: "catalogd-mutating-webhook-configuration" },
      webhooks: [
        {
          name: "inject-metadata-name.olm.operatorframework.io",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { service: { namespace: NAMESPACE, name: "catalogd-service", path: WEBHOOK_PATH, port: 9443 } },
          rules: [],
        },
      ],
    });
    const program = await start("a", ["--issue-certificates"], cluster.transport, { webhookAddress: "127.0.0.1:0" });
    const catalogs = await call(program.catalogPort, await readAuthority("catalogd-metrics-certificates"), "/catalogs/x/api/v1/all");
    expect(catalogs.status).toBe(404);
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "1",
        operation: "CREATE",
        kind: { group: "olm.operatorframework.io", version: "v1", kind: "ClusterCatalog" },
        resource: { group: "olm.operatorframework.io", version: "v1", resource: "clustercatalogs" },
        name: "main",
        userInfo: {},
        object: {
          apiVersion: "olm.operatorframework.io/v1",
          kind: "ClusterCatalog",
          metadata: { name: "main", labels: { own: "x" } },
          spec: {},
        },
      },
    };
    const authority = await readAuthority("catalogd-webhook-certificates");
    const { status, body } = await call(program.webhookPort!, authority, WEBHOOK_PATH, review);
    expect(status).toBe(200);
    const { response } = JSON.parse(body) as { response: { allowed: boolean; patch: string } };
    expect(response.allowed).toBe(true);
    expect(JSON.parse(Buffer.from(response.patch, "base64").toString())).toEqual([
      { op: "add", path: "/metadata/labels/olm.operatorframework.io~1metadata.name", value: "main" },
    ]);
    const { webhooks } = await client.get(MutatingWebhookConfiguration, { name: "catalogd-mutating-webhook-configuration" });
    expect(Buffer.from(webhooks![0]!.clientConfig.caBundle!, "base64").toString()).toBe(authority);
  });
});

const WEBHOOK_PATH = "/mutate-olm-operatorframework-io-v1-clustercatalog";

async function readAuthority(name: string): Promise<string> {
  const { data } = await cluster.client().get(Secret, { namespace: NAMESPACE, name });
  return Buffer.from(data!["ca.crt"]!, "base64").toString();
}

/** Calls a port of this machine as clients in the cluster call the Service. */
function call(
  port: number,
  ca: string,
  to: string,
  body?: object,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      ca,
      servername: `catalogd-service.${NAMESPACE}.svc`,
      host: "127.0.0.1",
      port,
      path: to,
      method: body === undefined ? "GET" : "POST",
    };
    const sent = request({ ...options, headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.once("end", () => resolve({ status: response.statusCode, body: text }));
    });
    sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe("the process", () => {
  const BIN = fileURLToPath(new URL("../../../lifecycle/src/bin.ts", import.meta.url));

  /** Starts the real program as its image does, in a pod of this name. */
  function launch(pod: string): ChildProcess {
    const kubeconfig = path.join(folder, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const args = [`--kubeconfig=${kubeconfig}`, ...ADDRESSES, `--cache-dir=${path.join(folder, pod)}`, "--leader-elect"];
    const flags = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")];
    const child = spawn(process.execPath, [...flags, BIN, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, POD_NAME: pod, POD_UID: `uid-of-${pod}` },
    });
    children.push(child);
    return child;
  }

  const waitForLine = (child: ChildProcess, part: string) =>
    new Promise<void>((resolve, reject) => {
      let text = "";
      child.stderr!.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes(part)) resolve();
      });
      child.once("exit", (code) => reject(new Error(`exited with ${code}: ${text}`)));
    });

  test("leads again at once when its container was killed, and gives the leases back on SIGTERM", async () => {
    const first = launch("pod-a");
    await waitForLine(first, "Starting workers");
    const holders = await readHolders();
    expect(holders).toEqual(["pod-a_uid-of-pod-a", "pod-a_uid-of-pod-a"]);
    const killed = new Promise((resolve) => first.once("exit", resolve));
    first.kill("SIGKILL");
    await killed;
    const second = launch("pod-a");
    await waitForLine(second, "Starting workers");
    const ended = new Promise((resolve) => second.once("exit", resolve));
    second.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await readHolders()).toEqual(["", ""]);
  }, 60_000);
});
