/**
 * `npm run bench:profile [operator|cache|server...]`: profiles CPU and heap of an operator that converges, of a cache that syncs (both against a
 * real API server), and of the embedded API server while pods are created. Writes bench/results/profiles/<name>.{cpu,heap}.txt.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readSyncReport } from "../harness/load/cache-report.ts";
import { createMemcachedLoad } from "../harness/load/memcached-load.ts";
import { createObjects } from "../harness/load/pod-load.ts";
import type { Framework } from "../harness/subjects/frameworks.ts";
import { type TestBed, withTestBed } from "../harness/subjects/test-bed.ts";
import { formatFunctions, rankFunctions } from "./function-costs.ts";
import { loadServer } from "./server-load.ts";

const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const isSelected = (name: string) => positionals.length === 0 || positionals.includes(name);
const sizes = values.quick ? { objects: 50, pods: 200, creates: 200 } : { objects: 1_000, pods: 5_000, creates: 10_000 };
const outputFolder = fileURLToPath(new URL("../results/profiles/", import.meta.url));
const ROWS = 30;
/** Writing the profile of a large heap takes long. */
const PROFILE_WRITE_MS = 120_000;

mkdirSync(outputFolder, { recursive: true });
const KINDS = ["cpu", "heap"] as const;
if (isSelected("operator") || isSelected("cache"))
  await withTestBed({ quick: true, full: false, sides: ["pintle"] }, async (testBed) => {
    if (isSelected("operator")) for (const kind of KINDS) await profile(kind, "operator", (flags) => runOperator(testBed, flags));
    if (!isSelected("cache")) return;
    await createObjects(testBed.client, "pods", 0, sizes.pods);
    for (const kind of KINDS) await profile(kind, "cache", (flags) => fillCache(testBed, flags));
  });
if (isSelected("server")) for (const kind of KINDS) await profile(kind, "server", (flags) => loadServer(sizes.creates, flags));

/** Calls `run` with the flags that make Node write a profile on exit, and reports that profile. */
async function profile(kind: "cpu" | "heap", name: string, run: (flags: readonly string[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-profile-"));
  try {
    await run([`--${kind}-prof`, `--${kind}-prof-dir=${folder}`]);
    // Every thread writes a profile. The one with the highest cost is that of the main thread.
    const profiles = readdirSync(folder).map((file) => rankFunctions(JSON.parse(readFileSync(path.join(folder, file), "utf8"))));
    const sumOf = (costs: (typeof profiles)[number]) => costs.reduce((sum, { self }) => sum + self, 0);
    const [main] = profiles.sort((a, b) => sumOf(b) - sumOf(a));
    if (main === undefined) throw new Error(`${name} wrote no profile`);
    const text = formatFunctions(main, kind === "cpu" ? "ms" : "KB", ROWS);
    writeFileSync(path.join(outputFolder, `${name}.${kind}.txt`), `${text}\n`);
    console.log(`## ${name}, ${kind}\n\n${text}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The programs of pintle with additional flags for Node. */
function withNodeFlags(testBed: TestBed, flags: readonly string[]): Framework {
  const pintle = testBed.operators.find(({ name }) => name === "pintle")!;
  const add = ([node = "", ...args]: readonly string[]) => [node, ...flags, ...args];
  return {
    ...pintle,
    operatorCommand: (ports) => add(pintle.operatorCommand(ports)),
    cacheCommand: (kind, metadataOnly) => add(pintle.cacheCommand(kind, metadataOnly)!),
  };
}

async function runOperator(testBed: TestBed, flags: readonly string[]): Promise<void> {
  const load = createMemcachedLoad(testBed.client);
  const program = await testBed.startOperator(withNodeFlags(testBed, flags));
  await load.createRange(0, sizes.objects);
  await load.waitForStatuses(sizes.objects);
  await program.stop(PROFILE_WRITE_MS);
  await load.stop();
  await load.deleteAll();
}

async function fillCache(testBed: TestBed, flags: readonly string[]): Promise<void> {
  const program = testBed.startCache(withNodeFlags(testBed, flags), "pods", false)!;
  await readSyncReport(program, sizes.pods);
  await program.stop(PROFILE_WRITE_MS);
}
