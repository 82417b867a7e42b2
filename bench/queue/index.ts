import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { packPublished } from "../harness/subjects/published-package.ts";
import { buildPeers } from "../peers/build-peers.ts";

const SIZES = {
  quick: { sizes: [1_000], rounds: 1 },
  default: { sizes: [1_000, 100_000], rounds: 5 },
  full: { sizes: [1_000, 100_000, 1_000_000], rounds: 7 },
};
const COLUMNS: readonly Column[] = [
  { name: "add", unit: "µs", better: "lower", digits: 2 },
  { name: "add again", unit: "µs", better: "lower", digits: 2 },
  { name: "process", unit: "µs", better: "lower", digits: 2 },
];

const MIN_OPERATIONS = 50_000;

interface QueueFigures {
  readonly add: number;
  readonly "add again": number;
  readonly process: number;
}

/** Measures the CPU time of each operation of the work queue with many keys. The scheduler of kube-rs cannot be used on its own. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { sizes, rounds } = selectSizes(options, SIZES);
  const pintleFolder = await packPublished([fileURLToPath(new URL("pintle-queue.ts", import.meta.url))]);
  const { commands, missing } = await buildPeers(["controller-runtime"]);
  const goCommand = commands.get("controller-runtime");
  // A round with few keys is short: more rounds reduce the noise.
  const repeats = (keys: number) => Math.max(rounds, Math.ceil(MIN_OPERATIONS / keys));
  const goQueue = (queue: string) => (keys: number) => [
    ...goCommand!,
    "queue",
    `--queue=${queue}`,
    `--keys=${keys}`,
    `--rounds=${repeats(keys)}`,
  ];
  const sides: Record<string, (keys: number) => readonly string[]> = {
    pintle: (keys) => [process.execPath, path.join(pintleFolder, "pintle-queue.js"), String(keys), String(repeats(keys))],
    ...(goCommand === undefined
      ? {}
      : { "controller-runtime, priority queue": goQueue("priority"), "client-go workqueue": goQueue("plain") }),
  };
  try {
    const rows: Row[] = [];
    for (const keys of sizes)
      for (const [side, command] of Object.entries(sides)) {
        const [program = "", ...args] = command(keys);
        const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 24 });
        const figures = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as QueueFigures);
        rows.push({ case: `${formatNumber(keys)} keys`, side, figures: computeSpreads(figures) });
      }
    const note =
      "CPU of all threads. process: get, no work, done; for pintle this includes the promise and the event-loop turn that a reconcile gets.";
    return { tables: [{ title: "Queue operations", columns: COLUMNS, rows, note }], missing };
  } finally {
    rmSync(pintleFolder, { recursive: true, force: true });
  }
}
