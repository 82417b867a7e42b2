import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, startCluster } from "@pintle/cluster";
import { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind, installLifecycleManager } from "@pintle/lifecycle/manager";
import type { Client } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { makeCatalog } from "../../conformance/lifecycle/make-catalog.ts";
import { createManagerProcess } from "../../conformance/lifecycle/manager-process.ts";
import { PACKAGE, publishMemcached, pushFiles } from "../../conformance/lifecycle/memcached-bundles.ts";
import { findReference, Reference } from "../../conformance/lifecycle/reference.ts";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { readCpuSeconds, readRssMb } from "../harness/process/proc.ts";
import { computeSpreads, median } from "../harness/results/spread.ts";
import type { Column, Row, Table } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";

/** 18.5 KB a bundle, as operatorhub's catalog has: 7,720 of them are 144 MB. */
export const BYTES_PER_BUNDLE = 18_500;

/** What the manager is measured with. */
export interface ManagerMeasurement {
  /** An empty place for files. */
  readonly folder: string;
  /** The compiled program of the manager. */
  readonly program: string;
  /** The number of bundles in the catalog. */
  readonly bundles: number;
  readonly repeats: number;
  /** Takes the sides that cannot be measured. */
  readonly missing: Record<string, string>;
}

const QUERIES = 20;
/** After the last work, timers have fired and garbage was collected. */
const IDLE_MS = 5_000;
const WAIT = { timeout: 300_000 };
const LABELS = { "operators.operatorframework.io.index.configs.v1": "/configs" };

const SERVING: readonly Column[] = [
  { name: "cpu", unit: "CPU s until it is served", better: "lower", digits: 2 },
  { name: "time", unit: "s until it is served", better: "lower", digits: 2 },
  { name: "metas", unit: "ms for /metas of a package", better: "lower", digits: 1 },
  { name: "all", unit: "s for /all", better: "lower", digits: 2 },
  { name: "memory", unit: "MB afterwards", better: "lower", digits: 0 },
];
const LIFE: readonly Column[] = [
  { name: "time", unit: "s", better: "lower", digits: 2 },
  { name: "cpu", unit: "CPU s", better: "lower", digits: 2 },
  { name: "reads", unit: "", better: "lower", digits: 0 },
  { name: "writes", unit: "", better: "lower", digits: 0 },
];
const IDLE: readonly Column[] = [{ name: "memory", unit: "MB", better: "lower", digits: 0 }];

/**
 * Measures the lifecycle manager as a process: with a large catalog beside the code of catalogd, and with an operator that is installed, upgraded and removed.
 * The process of catalogd's code pulls, stores and serves the catalog, and has no API server to talk to.
 */
export async function measureManager({ folder, program, bundles, repeats, missing }: ManagerMeasurement): Promise<Table[]> {
  const catalogd = findReference();
  if (catalogd === undefined) missing["catalogd"] = "not built: npm run lifecycle:build";
  await using registry = await startRegistryServer();
  const catalog = `${registry.host}/large:v1`;
  const megabytes = await publishLarge(catalog, bundles);
  const operators = await publishMemcached(registry.host);
  const lives: Life[] = [];
  let count = 0;
  const sides = [
    {
      name: "pintle",
      async measure(scratch: string, round: number) {
        const { serving, life } = await runManager({ scratch, program, catalog, operators });
        if (round >= 0) lives.push(life);
        return serving;
      },
    },
    { name: "catalogd", measure: (scratch: string) => runCatalogd(catalogd!, scratch, catalog) },
  ];
  const rounds = await runRounds(sides, { repeats, missing }, ({ measure }, round) => {
    const scratch = path.join(folder, `manager-${count++}`);
    mkdirSync(scratch);
    return measure(scratch, round);
  });
  const rows = [...rounds].map(
    ([side, figures]): Row => ({ case: `${bundles} bundles, ${megabytes} MB`, side, figures: computeSpreads(figures) }),
  );
  const steps = ["install", "upgrade", "remove"] as const;
  return [
    {
      title: "serve a large catalog",
      columns: SERVING,
      rows,
      note: "catalogd's code runs without an API server: its CPU has no requests to one.",
    },
    {
      title: "an operator with CRD, RBAC, ConfigMap and Deployment",
      columns: LIFE,
      rows: steps.map((step): Row => ({ case: step, side: "pintle", figures: computeSpreads(lives.map((life) => life[step])) })),
    },
    {
      title: "memory of the whole manager, idle",
      columns: IDLE,
      rows: [{ case: "after an operator's life", side: "pintle", figures: computeSpreads(lives.map(({ idle }) => ({ memory: idle }))) }],
    },
  ];
}

/** Returns the size in MB. */
async function publishLarge(image: string, packages: number): Promise<number> {
  const lines = makeCatalog({ packages, bundlesPerPackage: 1, bytesPerBundle: BYTES_PER_BUNDLE }).map(
    (blob) => `${JSON.stringify(blob)}\n`,
  );
  const data = Buffer.from(lines.join(""));
  await pushFiles(image, new Map([["configs/catalog.json", data]]), LABELS);
  return Math.round(data.length / 1e6);
}

interface Served {
  readonly cpu: number;
  readonly time: number;
  readonly metas: number;
  readonly all: number;
  readonly memory: number;
}

async function runCatalogd(file: string, root: string, image: string): Promise<Served> {
  const program = new Reference(file);
  try {
    // The first request starts the program.
    await program.ask({ op: "catalogd", root: path.join(root, "empty"), folders: {}, images: {}, metas: true });
    const cpu = readCpuSeconds([program.pid]);
    const started = performance.now();
    const { port, failed } = await program.ask({ op: "catalogd", root, folders: {}, images: { large: image }, metas: true });
    if (Object.keys(failed as object).length > 0) throw new Error(`catalogd: ${JSON.stringify(failed)}`);
    const used = { cpu: readCpuSeconds([program.pid]) - cpu, time: (performance.now() - started) / 1000 };
    return { ...used, ...(await queryCatalog(`http://127.0.0.1:${String(port)}/catalogs/large`)), memory: readRssMb([program.pid]) };
  } finally {
    await program.stop();
  }
}

/** Times of the two requests of the API, read to the end as clients do. */
async function queryCatalog(base: string): Promise<Pick<Served, "metas" | "all">> {
  const time = async (endpoint: string) => {
    const started = performance.now();
    const response = await fetch(`${base}/api/v1/${endpoint}`);
    const { length } = await response.text();
    if (!response.ok || length === 0) throw new Error(`${base}/api/v1/${endpoint}: ${response.status}, ${length} characters`);
    return performance.now() - started;
  };
  const metas: number[] = [];
  for (let i = 0; i < QUERIES; i++) metas.push(await time(`metas?package=p${i}`));
  return { metas: median(metas), all: (await time("all")) / 1000 };
}

interface Step {
  readonly time: number;
  readonly cpu: number;
  readonly reads: number;
  readonly writes: number;
}

interface Life {
  readonly install: Step;
  readonly upgrade: Step;
  readonly remove: Step;
  readonly idle: number;
}

interface ManagerRun {
  readonly scratch: string;
  readonly program: string;
  readonly catalog: string;
  readonly operators: string;
}

/** One manager serves the large catalog, another one carries an operator through its life. */
async function runManager(run: ManagerRun): Promise<{ readonly serving: Served; readonly life: Life }> {
  const serving = await withManager(run, "large", async ({ client, pid }) => {
    const cpu = readCpuSeconds([pid]);
    const started = performance.now();
    const base = await serve(client, "large", run.catalog);
    const used = { cpu: readCpuSeconds([pid]) - cpu, time: (performance.now() - started) / 1000 };
    return { ...used, ...(await queryCatalog(base)), memory: readRssMb([pid]) };
  });
  const life = await withManager(run, "life", async ({ client, cluster, pid }) => {
    await serve(client, "community", run.operators);
    const steps = measureLife(client, cluster, pid);
    const [install, upgrade, remove] = [await steps.install(), await steps.upgrade(), await steps.remove()];
    await sleep(IDLE_MS);
    return { install, upgrade, remove, idle: readRssMb([pid]) };
  });
  return { serving, life };
}

interface RunningManager {
  readonly client: Client;
  readonly cluster: Cluster;
  readonly pid: number;
}

async function withManager<T>({ scratch, program }: ManagerRun, name: string, use: (manager: RunningManager) => Promise<T>): Promise<T> {
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  const kubeconfig = path.join(folder, "kubeconfig");
  const cluster = await startCluster({ http: true });
  try {
    await cluster.writeKubeconfig(kubeconfig);
    // The manager has the name of the kubeconfig, so that its requests can be told from these.
    const client = cluster.client({ user: { name: "bench", groups: ["system:masters"] } });
    await installLifecycleManager(client);
    const manager = await createManagerProcess(kubeconfig, folder, [program]);
    await manager.start();
    try {
      return await use({ client, cluster, pid: manager.pid! });
    } finally {
      await manager.end("SIGTERM");
    }
  } finally {
    await cluster.stop();
  }
}

/** Resolves with the base of its URLs when a catalog is served. */
async function serve(client: Client, name: string, ref: string): Promise<string> {
  await client.create(ClusterCatalogKind, { metadata: { name }, spec: { source: { type: "Image", image: { ref } } } });
  const { status } = await client.waitFor(
    ClusterCatalogKind,
    { name },
    (catalog) => (catalog.status?.conditions ?? []).some(({ type, status: is }) => type === "Serving" && is === "True"),
    WAIT,
  );
  return status!.urls!.base;
}

/** The steps of the life of an operator: until its Deployment is available, or all objects of it are gone. */
function measureLife(client: Client, cluster: Cluster, pid: number) {
  const measure = async (step: () => Promise<unknown>): Promise<Step> => {
    cluster.journal.clear();
    const cpu = readCpuSeconds([pid]);
    const started = performance.now();
    await step();
    const time = (performance.now() - started) / 1000;
    const requests = cluster.journal.entries.filter(({ user }) => user === "kubernetes-admin");
    const writes = requests.filter(({ verb }) => !["get", "list", "watch"].includes(verb)).length;
    return { time, cpu: readCpuSeconds([pid]) - cpu, reads: requests.length - writes, writes };
  };
  const waitForVersion = (version: string) =>
    client.waitFor(
      ClusterExtensionKind,
      { name: PACKAGE },
      ({ status }) => status?.install?.bundle.version === version && status.activeRevisions?.length === 1,
      WAIT,
    );
  return {
    install: () =>
      measure(async () => {
        await client.create(Namespace, { metadata: { name: PACKAGE } });
        const catalog = { packageName: PACKAGE, version: "0.1.0" };
        const spec = { namespace: PACKAGE, source: { sourceType: "Catalog" as const, catalog } };
        await client.create(ClusterExtensionKind, { metadata: { name: PACKAGE }, spec });
        await waitForVersion("0.1.0");
      }),
    upgrade: () =>
      measure(async () => {
        await client.patch(ClusterExtensionKind, { name: PACKAGE }, { merge: { spec: { source: { catalog: { version: "0.2.0" } } } } });
        await waitForVersion("0.2.0");
      }),
    remove: () =>
      measure(async () => {
        await client.delete(ClusterExtensionKind, { name: PACKAGE });
        await client.waitForDeletion(ClusterExtensionKind, { name: PACKAGE }, WAIT);
        for (const { metadata } of (await client.list(ClusterObjectSetKind)).items) {
          await client.waitForDeletion(ClusterObjectSetKind, { name: metadata.name }, WAIT);
        }
      }),
  };
}
