import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "pintle/client";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { prepareLoadGenerator } from "../harness/load/load-generator.ts";
import { type MeasuredProcess, startMeasured } from "../harness/process/measured-process.ts";
import type { GrowthCurve } from "../harness/results/growth-curve.ts";
import { computeSpread, median } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { buildPackages } from "../harness/subjects/build-packages.ts";
import { packPublished } from "../harness/subjects/published-package.ts";
import { installCrd } from "../harness/subjects/test-bed.ts";
import { Memcached } from "../peers/pintle/memcached.ts";
import { type ApiServer, startEmbeddedServer } from "../server/api-server.ts";
import { measureControllers } from "./controllers.ts";
import { measureObjects } from "./objects.ts";
import { measureWatchers } from "./watchers.ts";

const SIZES = {
  quick: { objects: [10, 20, 40], watchers: [10, 20], controllers: [1, 2], repeats: 1 },
  default: { objects: [250, 500, 1_000, 2_000], watchers: [50, 100, 200, 400, 800], controllers: [1, 2, 4, 8, 16, 32], repeats: 3 },
  full: {
    objects: [500, 1_000, 2_000, 4_000, 8_000, 16_000],
    watchers: [50, 100, 200, 400, 800, 1_600],
    controllers: [1, 2, 4, 8, 16, 32, 64],
    repeats: 5,
  },
};

/** The embedded API server in a child process, and a way to start operators against it. */
export interface GrowthSetup {
  readonly server: ApiServer;
  readonly client: Client;
  startProgram(script: string, args: readonly string[]): MeasuredProcess;
}
/** One measurement at one size: CPU seconds by name. */
export type GrowthSample = Readonly<Record<string, number>>;

/** Measures how the CPU cost grows with the number of objects, watchers and controllers. The sizes are measured in turn, round by round. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const sizes = selectSizes(options, SIZES);
  await buildPackages();
  const startGenerator = await prepareLoadGenerator();
  const logs = mkdtempSync(path.join(tmpdir(), "pintle-bench-growth-"));
  const resolve = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const folder = await packPublished([resolve("../peers/pintle/operator.ts"), resolve("operator.ts")]);
  const server = await startEmbeddedServer();
  const client = createClient(server.transport);
  const generator = startGenerator(server.target);
  const startProgram = (script: string, args: readonly string[]) =>
    startMeasured(
      process.execPath,
      [path.join(folder, script), ...args],
      { KUBECONFIG: server.kubeconfig },
      path.join(logs, `${path.basename(script)}.log`),
    );
  const setup: GrowthSetup = { server, client, startProgram };
  try {
    await installCrd(client, Memcached.crd());
    const series = [
      { parameter: "objects", sizes: sizes.objects, measure: (n: number) => measureObjects(setup, n) },
      { parameter: "watchers", sizes: sizes.watchers, measure: (n: number) => measureWatchers({ server, generator }, n) },
      { parameter: "controllers", sizes: sizes.controllers, measure: (n: number) => measureControllers(setup, n) },
    ];
    const results = [];
    for (const each of series) results.push(await measureSeries(each, sizes.repeats));
    return { tables: results.map(({ table }) => table), curves: results.flatMap(({ curves }) => curves) };
  } finally {
    generator.stop();
    await server.stop();
    for (const temporary of [folder, logs]) rmSync(temporary, { recursive: true, force: true });
  }
}

interface GrowthSeries {
  readonly parameter: string;
  readonly sizes: readonly number[];
  measure(n: number): Promise<GrowthSample>;
}

async function measureSeries(
  { parameter, sizes, measure }: GrowthSeries,
  repeats: number,
): Promise<{ readonly table: Table; readonly curves: readonly GrowthCurve[] }> {
  const samples = new Map<number, GrowthSample[]>(sizes.map((n) => [n, []]));
  for (let round = -1; round < repeats; round++)
    for (const n of round < 0 ? sizes.slice(0, 1) : sizes) {
      const sample = await measure(n);
      if (round >= 0) samples.get(n)!.push(sample);
    }
  const names = Object.keys(samples.get(sizes[0]!)![0]!);
  const rows = sizes.map(
    (n): Row => ({
      case: `${n} ${parameter}`,
      side: "pintle",
      figures: Object.fromEntries(names.map((name) => [name, computeSpread(samples.get(n)!.map((sample) => sample[name]!))])),
    }),
  );
  const columns = names.map((name) => ({ name, unit: "s", better: "lower" as const, digits: 2 }));
  const curves = names.map((name) => ({
    title: `${name}, by ${parameter}`,
    side: "pintle",
    parameter,
    unit: "s of CPU",
    points: sizes.map((n) => ({ n, cost: Math.max(0.01, median(samples.get(n)!.map((sample) => sample[name]!))) })),
  }));
  return { table: { title: `Growth by ${parameter}`, columns, rows }, curves };
}
