import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { createMemcachedLoad, NAMESPACE } from "../harness/load/memcached-load.ts";
import type { MeasuredProcess } from "../harness/process/measured-process.ts";
import { computeSpreads, percentile } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Framework } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";
import { Memcached } from "../peers/pintle/memcached.ts";

const SIZES = {
  quick: { objects: 30, rates: [20], seconds: 1, repeats: 1 },
  default: { objects: 300, rates: [50, 150], seconds: 4, repeats: 3 },
  full: { objects: 3_000, rates: [50, 150, 300], seconds: 10, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "p50", unit: "ms", better: "lower", digits: 1 },
  { name: "p99", unit: "ms", better: "lower", digits: 1 },
  { name: "max", unit: "ms", better: "lower", digits: 1 },
  { name: "CPU", unit: "% of a core", better: "lower", digits: 0 },
];

interface LatencyFigures {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly CPU: number;
}

/** Measures the time from sending a change to the start of the reconcile that sees it, with changes of different objects at a steady rate. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { objects, rates, seconds, repeats } = selectSizes(options, SIZES);
  return withTestBed(options, async (testBed) => {
    const rounds = await runRounds(testBed.operators, { repeats, missing: testBed.missing }, (framework, round) =>
      measureLatencies(testBed, framework, round < 0 ? 20 : objects, rates, seconds),
    );
    const rows: Row[] = rates.flatMap((rate, i) =>
      [...rounds].map(([side, figures]) => ({
        case: `${rate} changes/s`,
        side,
        figures: computeSpreads(figures.map((byRate) => byRate[i]!)),
      })),
    );
    const note = `With ${objects} objects. Each change makes the operator write a Deployment and a status, which the same server handles.`;
    return { tables: [{ title: "Change to reconcile", columns: COLUMNS, rows, note }], missing: testBed.missing };
  });
}

async function measureLatencies(
  testBed: TestBed,
  framework: Framework,
  objects: number,
  rates: readonly number[],
  seconds: number,
): Promise<readonly LatencyFigures[]> {
  const load = createMemcachedLoad(testBed.client);
  const program = await testBed.startOperator(framework);
  try {
    await load.createRange(0, objects);
    await load.waitForStatuses(objects);
    const figures: LatencyFigures[] = [];
    let size = 1;
    for (const rate of rates) {
      await program.waitUntilIdle();
      size = (size % 9) + 1;
      figures.push(await measureChanges(testBed.client, program, { count: Math.min(rate * seconds, objects), rate, size }));
    }
    return figures;
  } finally {
    await program.stop();
    await load.stop();
    await load.deleteAll();
  }
}

async function measureChanges(
  client: Client,
  program: MeasuredProcess,
  { count, rate, size }: { readonly count: number; readonly rate: number; readonly size: number },
): Promise<LatencyFigures> {
  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  const cpuBefore = program.cpuSeconds();
  const started = performance.now();
  const sending = Array.from({ length: count }, async (_, i) => {
    await delay((i * 1000) / rate);
    const name = `cache-${i}`;
    sentAt.set(name, performance.timeOrigin + performance.now());
    await client.patch(Memcached, { name, namespace: NAMESPACE }, { merge: { spec: { size } } });
  });
  const allSent = Promise.all(sending);
  while (latencies.length < count) {
    const [name = "", , micros] = (await program.readLine()).split(" ");
    const sentTime = sentAt.get(name);
    if (sentTime === undefined) continue;
    // Only the first reconcile after a change counts, not those caused by the operator's own writes.
    sentAt.delete(name);
    latencies.push(Number(micros) / 1000 - sentTime);
  }
  await allSent;
  const cpu = (program.cpuSeconds() - cpuBefore) / ((performance.now() - started) / 1000);
  latencies.sort((a, b) => a - b);
  return { p50: percentile(latencies, 50), p99: percentile(latencies, 99), max: latencies.at(-1)!, CPU: 100 * cpu };
}
