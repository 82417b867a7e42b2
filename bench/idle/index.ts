import { setTimeout as delay } from "node:timers/promises";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { createMemcachedLoad } from "../harness/load/memcached-load.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Framework } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";

const SIZES = {
  quick: { objects: 10, settleSeconds: 0, seconds: 1, repeats: 1 },
  default: { objects: 200, settleSeconds: 30, seconds: 20, repeats: 1 },
  full: { objects: 1_000, settleSeconds: 30, seconds: 180, repeats: 3 },
};
type Sizes = (typeof SIZES)["default"];

const COLUMNS: readonly Column[] = [
  { name: "CPU", unit: "% of a core", better: "lower", digits: 2 },
  { name: "RSS", unit: "MB", better: "lower", digits: 0 },
];

/** Measures an operator that has nothing to reconcile: leases, bookmarks and timers remain. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const sizes = selectSizes(options, SIZES);
  const { objects, seconds, repeats } = sizes;
  return withTestBed(options, async (testBed) => {
    const rounds = await runRounds(testBed.operators, { repeats, missing: testBed.missing }, async (framework, round) =>
      round < 0 ? { CPU: 0, RSS: 0 } : measureIdle(testBed, framework, sizes),
    );
    const rows = [...rounds].map(([side, figures]) => ({
      case: `${formatNumber(objects)} objects, ${seconds} s`,
      side,
      figures: computeSpreads(figures),
    }));
    return { tables: [{ title: "Idle operator", columns: COLUMNS, rows }], missing: testBed.missing };
  });
}

async function measureIdle(
  testBed: TestBed,
  framework: Framework,
  { objects, settleSeconds, seconds }: Sizes,
): Promise<{ readonly CPU: number; readonly RSS: number }> {
  const load = createMemcachedLoad(testBed.client);
  const program = await testBed.startOperator(framework);
  try {
    await load.createRange(0, objects);
    await load.waitForStatuses(objects);
    await program.waitUntilIdle();
    // V8 collects the garbage of the reconciles up to half a minute later, once; that is not part of the idle cost.
    await delay(settleSeconds * 1000);
    const before = program.cpuSeconds();
    await delay(seconds * 1000);
    return { CPU: (100 * (program.cpuSeconds() - before)) / seconds, RSS: program.readMemory().rssMb };
  } finally {
    await program.stop();
    await load.stop();
    await load.deleteAll();
  }
}
