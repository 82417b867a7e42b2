import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { readSyncReport } from "../harness/load/cache-report.ts";
import { createObjects, measureJsonSize } from "../harness/load/pod-load.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import { type Framework, filterByCacheLimit } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";

interface CacheSizes {
  readonly kinds: readonly ("pods" | "workers")[];
  readonly sizes: readonly { readonly objects: number; readonly repeats: number }[];
}
const SIZES: { readonly quick: CacheSizes; readonly default: CacheSizes; readonly full: CacheSizes } = {
  quick: { kinds: ["pods", "workers"], sizes: [{ objects: 100, repeats: 1 }] },
  default: {
    kinds: ["pods"],
    sizes: [
      { objects: 1_000, repeats: 3 },
      { objects: 10_000, repeats: 3 },
    ],
  },
  full: {
    kinds: ["pods", "workers"],
    sizes: [
      { objects: 1_000, repeats: 5 },
      { objects: 10_000, repeats: 5 },
      { objects: 50_000, repeats: 3 },
    ],
  },
};
const COLUMNS: readonly Column[] = [
  { name: "sync", unit: "ms", better: "lower", digits: 0 },
  { name: "heap", unit: "KB each", better: "lower", digits: 1 },
  { name: "CPU", unit: "s", better: "lower", digits: 2 },
  { name: "peak RSS", unit: "MB", better: "lower", digits: 0 },
];

interface CacheFigures {
  readonly sync: number;
  readonly heap: number;
  readonly CPU: number;
  readonly "peak RSS": number;
}

/** Measures the initial sync and the memory of a cache of all objects of one kind, in full and metadata-only. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { kinds, sizes } = selectSizes(options, SIZES);
  return withTestBed(options, async (testBed) => {
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const kind of kinds) {
      let existing = 0;
      for (const { objects, repeats } of sizes) {
        await createObjects(testBed.client, kind, existing, objects);
        existing = objects;
        for (const metadataOnly of [false, true]) {
          const frameworksWithCache = testBed.caches.filter((framework) => framework.cacheCommand(kind, metadataOnly) !== undefined);
          const frameworks = filterByCacheLimit(frameworksWithCache, objects, testBed.missing);
          const rounds = await runRounds(frameworks, { repeats, missing: testBed.missing }, (framework) =>
            measureSync(testBed, framework, kind, metadataOnly, objects),
          );
          const name = `${formatNumber(objects)} ${kind}${metadataOnly ? ", metadata only" : ""}`;
          for (const [side, figures] of rounds) rows.push({ case: name, side, figures: computeSpreads(figures) });
        }
      }
      notes.push(`${kind}: ${((await measureJsonSize(testBed.client, kind)) / 1024).toFixed(1)} KB of JSON each.`);
    }
    const note = `${notes.join(" ")} Heap: in use after garbage collection; for kopf, growth of the RSS. kopf and client-node have no metadata-only watches.`;
    return { tables: [{ title: "Cache sync and memory", columns: COLUMNS, rows, note }], missing: testBed.missing };
  });
}

async function measureSync(
  testBed: TestBed,
  framework: Framework,
  kind: "pods" | "workers",
  metadataOnly: boolean,
  objects: number,
): Promise<CacheFigures> {
  const program = testBed.startCache(framework, kind, metadataOnly)!;
  try {
    const report = await readSyncReport(program, objects);
    return {
      sync: report.milliseconds,
      heap: report.heapBytes / 1024 / objects,
      CPU: program.cpuSeconds(),
      "peak RSS": program.readMemory().peakMb,
    };
  } finally {
    await program.stop();
  }
}
