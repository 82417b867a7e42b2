import { setTimeout as delay } from "node:timers/promises";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { readMarkerTime, readSyncReport } from "../harness/load/cache-report.ts";
import { NAMESPACE } from "../harness/load/memcached-load.ts";
import { createObjects } from "../harness/load/pod-load.ts";
import { runConcurrently } from "../harness/load/run-concurrently.ts";
import type { MeasuredProcess } from "../harness/process/measured-process.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import { type Framework, filterByCacheLimit } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const SIZES = {
  quick: { objects: 100, repeats: 1 },
  default: { objects: 5_000, repeats: 2 },
  full: { objects: 50_000, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "recovery", unit: "ms", better: "lower", digits: 0 },
  { name: "CPU", unit: "s", better: "lower", digits: 2 },
  { name: "received", unit: "MB", better: "lower", digits: 1 },
  { name: "RSS growth", unit: "MB", better: "lower", digits: 0 },
];
const CASES = ["connections closed", "server restarted, watch expired"] as const;

interface RecoveryFigures {
  readonly recovery: number;
  readonly CPU: number;
  readonly received: number;
  readonly "RSS growth": number;
}

/**
 * Measures how a cache of pods recovers: from closed connections, where it should resume the watch, and from a restart of the server whose
 * watch cache no longer has the last resourceVersion, where it must list again. A pod created right after shows when the cache is current.
 */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { objects, repeats } = selectSizes(options, SIZES);
  return withTestBed(options, async (testBed) => {
    await createObjects(testBed.client, "pods", 0, objects);
    const counter = { markers: 0 };
    const frameworksWithCache = testBed.operators.filter((framework) => framework.cacheCommand("pods", false) !== undefined);
    const frameworks = filterByCacheLimit(frameworksWithCache, objects, testBed.missing);
    const rounds = await runRounds(frameworks, { repeats, missing: testBed.missing }, (framework, round) =>
      round < 0 ? Promise.resolve([]) : measureRecoveries(testBed, framework, objects, counter),
    );
    const rows: Row[] = CASES.flatMap((name, i) =>
      [...rounds].map(([side, figures]) => ({ case: name, side, figures: computeSpreads(figures.map((byCase) => byCase[i]!)) })),
    );
    const note = `${formatNumber(objects)} pods. recovery: from closing the connections, or from the server being ready again, until the cache has a pod created then. received: bytes from the server.`;
    return { tables: [{ title: "Reconnect and relist", columns: COLUMNS, rows, note }], missing: testBed.missing };
  });
}

async function measureRecoveries(
  testBed: TestBed,
  framework: Framework,
  objects: number,
  counter: { markers: number },
): Promise<readonly RecoveryFigures[]> {
  const proxy = await startTcpProxy(testBed.plane.kubeconfig, testBed.plane.server);
  const program = testBed.startCache(framework, "pods", false, proxy.kubeconfig)!;
  try {
    await readSyncReport(program, objects);
    await program.waitUntilIdle();
    const reconnected = await measureRecovery(testBed, program, proxy, counter, async () => proxy.closeConnections());
    await program.waitUntilIdle();
    const relisted = await measureRecovery(testBed, program, proxy, counter, () => expireWatches(testBed));
    return [reconnected, relisted];
  } finally {
    await program.stop();
    await proxy.close();
  }
}

async function measureRecovery(
  testBed: TestBed,
  program: MeasuredProcess,
  proxy: TcpProxy,
  counter: { markers: number },
  interrupt: () => Promise<void>,
): Promise<RecoveryFigures> {
  const before = { cpu: program.cpuSeconds(), rss: program.readMemory().rssMb, received: proxy.receivedBytes() };
  program.resetPeakRss();
  await interrupt();
  const interruptedAt = performance.timeOrigin + performance.now();
  const name = `marker-${++counter.markers}`;
  const spec = { containers: [{ name: "web", image: "web:1" }] };
  const created = retryRequest(() => testBed.client.create(Pod, { metadata: { name, namespace: NAMESPACE }, spec }));
  const seenAt = await readMarkerTime(program, name);
  await created;
  await program.waitUntilIdle();
  const { peakMb } = program.readMemory();
  await testBed.client.delete(Pod, { name, namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
  return {
    recovery: seenAt - interruptedAt,
    CPU: program.cpuSeconds() - before.cpu,
    received: (proxy.receivedBytes() - before.received) / 2 ** 20,
    "RSS growth": Math.max(0, peakMb - before.rss),
  };
}

/** Advances the revision with writes of another kind, then restarts the server: the last resourceVersion of the pods is too old afterwards. */
async function expireWatches({ plane, client }: TestBed): Promise<void> {
  const names = Array.from({ length: 20 }, (_, i) => `filler-${i}`);
  await runConcurrently(names.length, 4, (i) => client.create(ConfigMap, { metadata: { name: names[i]!, namespace: NAMESPACE } }));
  await runConcurrently(names.length, 4, (i) => client.delete(ConfigMap, { name: names[i]!, namespace: NAMESPACE }));
  await plane.killServer();
  await plane.startServer();
}

/** Retries: a server that has just restarted may refuse the first requests. */
async function retryRequest(request: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await request();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await delay(100);
    }
  }
}
