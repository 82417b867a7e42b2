import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { controller, createFlightRecorder, defineResource, silentLogger, startManager, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column } from "../harness/results/table.ts";

const SIZES = {
  quick: { objects: 20, repeats: 1 },
  default: { objects: 300, repeats: 7 },
  full: { objects: 1_000, repeats: 15 },
};

const Site = defineResource({
  group: "bench.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ size: z.int() }),
  status: z.object({ ready: z.int() }),
});
const sites = controller(Site, {
  owns: [Deployment],
  reconcile({ object: { metadata, spec }, owned, want }) {
    const labels = { app: metadata.name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    return want({
      children: {
        web: Deployment.desired({
          metadata: { name: metadata.name },
          spec: { replicas: spec.size, selector: { matchLabels: labels }, template },
        }),
      },
      status: { ready: owned(Deployment).get(metadata.name)?.status.readyReplicas ?? 0 },
    });
  },
});

/** What is recorded: nothing, the operator alone as in production, or operator and cluster as in development. */
const SIDES = ["off", "operator", "operator and cluster"] as const;
type Side = (typeof SIDES)[number];

const COLUMNS: readonly Column[] = [
  { name: "CPU", unit: "ms per object", better: "lower", digits: 3 },
  { name: "facts", unit: "KB per 1,000 commits", better: "lower", digits: 0 },
  { name: "trace", unit: "KB on disk per 1,000 commits", better: "lower", digits: 0 },
];

/** Measures what the flight recorder costs: objects are created and rolled out on an embedded cluster in this process. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { objects, repeats } = selectSizes(options, SIZES);
  const figures = new Map<Side, { CPU: number[]; facts: number[]; trace: number[] }>(
    SIDES.map((side) => [side, { CPU: [], facts: [], trace: [] }]),
  );
  // The first round warms up the compiler.
  for (let round = -1; round < repeats; round++)
    for (const side of SIDES) {
      const measured = await measure(side, objects);
      if (round < 0) continue;
      figures.get(side)?.CPU.push(measured.CPU);
      figures.get(side)?.facts.push(measured.facts);
      figures.get(side)?.trace.push(measured.trace);
    }
  const rows = SIDES.map((side) => {
    const { CPU = [], facts = [], trace = [] } = figures.get(side) ?? {};
    return {
      case: `${formatNumber(objects)} objects`,
      side,
      figures: computeSpreads(CPU.map((each, i) => ({ CPU: each, facts: facts[i] ?? 0, trace: trace[i] ?? 0 }))),
    };
  });
  return { tables: [{ title: "Flight recorder", columns: COLUMNS, rows }] };
}

async function measure(side: Side, objects: number): Promise<{ readonly CPU: number; readonly facts: number; readonly trace: number }> {
  await using cluster = await startCluster({ recorder: side === "operator and cluster" });
  await cluster.ready;
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Site.crd() as never);
  await cluster.settled();
  const recorder = side === "operator" ? createFlightRecorder() : cluster.recorder;
  const manager = startManager({ controllers: [sites], client: cluster.client(), recorder, logger: silentLogger });
  await manager.ready;
  await cluster.settled();
  globalThis.gc?.();
  const [before, revision, bytes] = [process.cpuUsage(), cluster.server.store.currentRevision(), recorder?.bytes ?? 0];
  for (let i = 0; i < objects; i++) await client.create(Site, { metadata: { name: `site-${i}`, namespace: "default" }, spec: { size: 2 } });
  await cluster.settled();
  const { user, system } = process.cpuUsage(before);
  const commits = cluster.server.store.currentRevision() - revision;
  await manager.stop();
  const trace = cluster.recorder === undefined ? 0 : await measureTrace(cluster);
  return { CPU: (user + system) / 1000 / objects, facts: ((recorder?.bytes ?? 0) - bytes) / commits, trace: trace / commits };
}

/** Bytes of the trace file of a cluster, which holds its base, too. */
async function measureTrace(cluster: Cluster): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-"));
  try {
    const file = path.join(folder, "a.pintle-trace");
    await cluster.writeTrace(file);
    return statSync(file).size;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
