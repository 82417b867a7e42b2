import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { createMemcachedLoad } from "../harness/load/memcached-load.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Framework } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";

const SIZES = {
  quick: { sizes: [1], repeats: 1 },
  default: { sizes: [1, 100], repeats: 5 },
  full: { sizes: [1, 100, 1_000], repeats: 11 },
};
const COLUMNS: readonly Column[] = [
  { name: "first status", unit: "ms", better: "lower", digits: 0 },
  { name: "all statuses", unit: "ms", better: "lower", digits: 0 },
  { name: "CPU", unit: "s", better: "lower", digits: 2 },
  { name: "RSS", unit: "MB", better: "lower", digits: 0 },
];

/** Measures the time from the start of the process until the first and until all of the existing objects have a status. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { sizes, repeats } = selectSizes(options, SIZES);
  return withTestBed(options, async (testBed) => {
    const rows: Row[] = [];
    for (const objects of sizes) {
      const rounds = await runRounds(testBed.operators, { repeats, missing: testBed.missing }, (framework) =>
        measureStart(testBed, framework, objects),
      );
      for (const [side, figures] of rounds)
        rows.push({ case: `${formatNumber(objects)} existing object${objects === 1 ? "" : "s"}`, side, figures: computeSpreads(figures) });
    }
    const note = "From the start of the process until the status is written: start, cache sync, one reconcile and two writes.";
    return { tables: [{ title: "Start to first reconcile", columns: COLUMNS, rows, note }], missing: testBed.missing };
  });
}

async function measureStart(testBed: TestBed, framework: Framework, objects: number) {
  const load = createMemcachedLoad(testBed.client);
  await load.createRange(0, objects);
  const startedAt = performance.now();
  const program = await testBed.startOperator(framework);
  try {
    await load.waitForStatuses(1);
    const first = performance.now() - startedAt;
    await load.waitForStatuses(objects);
    const all = performance.now() - startedAt;
    return { "first status": first, "all statuses": all, CPU: program.cpuSeconds(), RSS: program.readMemory().rssMb };
  } finally {
    await program.stop();
    await load.stop();
    await load.deleteAll();
  }
}
