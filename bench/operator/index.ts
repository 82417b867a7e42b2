import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { createMemcachedLoad } from "../harness/load/memcached-load.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Framework } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";

const SIZES = {
  quick: [{ objects: 30, repeats: 1 }],
  default: [
    { objects: 100, repeats: 3 },
    { objects: 1_000, repeats: 3 },
  ],
  full: [
    { objects: 100, repeats: 7 },
    { objects: 1_000, repeats: 7 },
    { objects: 5_000, repeats: 3 },
  ],
};

/** Measures the same operator on every framework, from the creation of the objects until each has a Deployment and a status. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  return withTestBed(options, async (testBed) => {
    const { operators, missing } = testBed;
    const rows: Row[] = [];
    for (const { objects, repeats } of selectSizes(options, SIZES)) {
      const rounds = await runRounds(operators, { repeats, missing }, (framework, round) =>
        measureConvergence(testBed, framework, round < 0 ? 20 : objects),
      );
      for (const [side, figures] of rounds) rows.push({ case: `${objects} objects`, side, figures: computeSpreads(figures) });
    }
    return { tables: [createTable(rows)], missing };
  });
}

function createTable(rows: readonly Row[]): Table {
  return {
    title: "Operator convergence",
    columns: [
      { name: "converged", unit: "s", better: "lower", digits: 2 },
      { name: "CPU", unit: "s", better: "lower", digits: 2 },
      { name: "CPU including start", unit: "s", better: "lower", digits: 2 },
      { name: "peak RSS", unit: "MB", better: "lower", digits: 0 },
    ],
    rows,
    note: "From the first create, with the operator idle, until every object has a status. All frameworks use the same kube-apiserver and etcd.",
  };
}

interface ConvergenceFigures {
  readonly converged: number;
  readonly CPU: number;
  readonly "CPU including start": number;
  readonly "peak RSS": number;
}

async function measureConvergence({ client, startOperator }: TestBed, framework: Framework, objects: number): Promise<ConvergenceFigures> {
  const load = createMemcachedLoad(client);
  const program = await startOperator(framework);
  try {
    await load.create("first");
    await load.waitForStatuses(1);
    await program.waitUntilIdle();
    const cpuBefore = program.cpuSeconds();
    const started = performance.now();
    await load.createRange(0, objects);
    await load.waitForStatuses(objects + 1);
    const seconds = (performance.now() - started) / 1000;
    await program.waitUntilIdle();
    const cpu = program.cpuSeconds();
    return { converged: seconds, CPU: cpu - cpuBefore, "CPU including start": cpu, "peak RSS": program.readMemory().peakMb };
  } finally {
    await program.stop();
    await load.stop();
    await load.deleteAll();
  }
}
