/**
 * `npm run bench [name...]`: runs benchmarks. Each folder with an `index.ts` that exports `run` is one; it measures Pintle and its peers in the
 * same run. Prints tables and writes bench/results/<name>.json and .svg, which are not committed; docs/performance.md is made from them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { BenchmarkOptions, BenchmarkResult } from "./harness/benchmark.ts";
import { BUSY_THRESHOLD, describeMachine, measureCpuLoad } from "./harness/process/machine.ts";
import { renderChart } from "./harness/results/chart.ts";
import { formatGrowth } from "./harness/results/growth-curve.ts";
import { compareRuns, computeNoise, formatNoise } from "./harness/results/noise.ts";
import type { StoredResult } from "./harness/results/stored-result.ts";
import { formatTable } from "./harness/results/table.ts";

const root = path.dirname(fileURLToPath(import.meta.url));
const results = path.join(root, "results");
const benchmarks = readdirSync(root).filter((name) => existsSync(path.join(root, name, "index.ts")));
const { values, positionals } = parseArgs({
  options: { full: { type: "boolean" }, quick: { type: "boolean" }, sides: { type: "string" }, help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});
if (values.help) {
  console.log(`Usage: npm run bench -- [name...] [--full | --quick] [--sides a,b]

  name...  Benchmarks to run (default: all): ${benchmarks.join(", ")}
  --full   Use the large sizes; takes hours
  --quick  Use sizes that only show that the code works; results are not stored
  --sides  Measure only these of pintle, controller-runtime, kube-rs, kopf, client-node, pepr; results are not stored

kube-apiserver, etcd and the peers are built when they are first needed, or by \`npm run real:build\` and \`npm run bench:build\`.`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`bench: unknown benchmark ${unknown.join(", ")}; available: ${benchmarks.join(", ")}`);
  process.exit(2);
}

const options: BenchmarkOptions = { full: values.full === true, quick: values.quick === true, sides: values.sides?.split(",") };
const startedAt = performance.now();
let failed = false;
for (const name of positionals.length > 0 ? positionals : benchmarks) {
  console.log(`\n## ${name}\n`);
  try {
    await runBenchmark(name);
  } catch (error) {
    failed = true;
    console.error(`!!! ${name} failed:`, error);
  }
}
console.log(`\nbench: ${Math.round((performance.now() - startedAt) / 1000)} s in total`);
process.exit(failed ? 1 : 0);

async function runBenchmark(name: string): Promise<void> {
  const { run } = (await import(pathToFileURL(path.join(root, name, "index.ts")).href)) as {
    run(options: BenchmarkOptions): Promise<BenchmarkResult>;
  };
  const before = await measureCpuLoad();
  if (before > BUSY_THRESHOLD)
    console.log(`!!! other processes use ${(100 * before).toFixed(0)} % of the cores: ratios may hold, absolute times do not\n`);
  const started = performance.now();
  const result = await run(options);
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const table of result.tables) console.log(`${formatTable(table)}\n`);
  for (const curve of result.curves ?? []) console.log(formatGrowth(curve));
  for (const [peer, reason] of Object.entries(result.missing ?? {})) console.log(`!!! NOT COMPARED: ${peer}: ${reason}`);
  const noise = computeNoise(result.tables);
  if (noise !== undefined) console.log(formatNoise(noise));
  if (options.quick || options.sides !== undefined) return;
  const file = path.join(results, `${name}.json`);
  const previous = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as StoredResult) : undefined;
  if (previous?.tables !== undefined && previous.full === options.full) printComparison(previous, result);
  const stored: StoredResult = {
    name,
    full: options.full,
    seconds,
    machine: describeMachine(),
    load: { before, after: await measureCpuLoad() },
    ...result,
  };
  mkdirSync(results, { recursive: true });
  writeFileSync(file, `${JSON.stringify(stored, null, 1)}\n`);
  writeFileSync(path.join(results, `${name}.svg`), renderChart(result));
  console.log(`${seconds} s; bench/results/${name}.json and .svg`);
}

function printComparison(previous: StoredResult, result: BenchmarkResult): void {
  const { withinCount, outside, expectedByChance, drifts } = compareRuns(previous.tables, result.tables);
  if (drifts.length > 0) console.log(`drift of the machine since the previous run, from the peers' figures: ${drifts.join("; ")}`);
  console.log(
    `compared with the previous run: ${withinCount} figures within noise (ranges overlap), ${outside.length} outside (expected by chance: up to ${Math.ceil(expectedByChance)})`,
  );
  for (const figure of outside) console.log(`  ${figure}`);
}
