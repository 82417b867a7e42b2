import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { run as runTool } from "../../conformance/clients/run.ts";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import { packPublished } from "../harness/subjects/published-package.ts";
import { buildPeers } from "../peers/build-peers.ts";
import { createSampleKinds, renderGoTypes } from "./sample-kinds.ts";

const SIZES = {
  quick: { count: 2, parts: 3, repeats: 1 },
  default: { count: 50, parts: 20, repeats: 3 },
  full: { count: 200, parts: 40, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "time", unit: "s", better: "lower", digits: 2 },
  { name: "size", unit: "KB of YAML", better: "lower", digits: 0 },
];
/** A program that takes longer than this has failed. */
const TIMEOUT_MS = 600_000;

/** Measures the generation of the CRDs of a large API, including the start of the program. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { count, parts, repeats } = selectSizes(options, SIZES);
  const { commands, missing: notBuilt } = await buildPeers(["controller-gen"]);
  const missing = { ...notBuilt };
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-definitions-"));
  const pintleFolder = await packPublished([fileURLToPath(new URL("generate-crds.ts", import.meta.url))]);
  const runInFolder = (program: string, args: readonly string[]) =>
    runTool(program, args, { folder, env: { GOFLAGS: "-mod=mod", GOWORK: "off" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  try {
    const sides = [
      {
        name: "pintle",
        generate: async () =>
          Number(await runInFolder(process.execPath, [path.join(pintleFolder, "generate-crds.js"), String(count), String(parts)])),
      },
    ];
    const [controllerGen] = commands.get("controller-gen") ?? [];
    if (controllerGen !== undefined) {
      for (const file of ["go.mod", "go.sum"]) cpSync(path.join(path.dirname(controllerGen), file), path.join(folder, file));
      mkdirSync(path.join(folder, "api"));
      writeFileSync(path.join(folder, "api/types.go"), renderGoTypes(createSampleKinds(count, parts)));
      const out = path.join(folder, "definitions");
      sides.push({
        name: "controller-gen",
        async generate() {
          await runInFolder(controllerGen, ["crd", "paths=./...", `output:crd:dir=${out}`]);
          return readdirSync(out).reduce((sum, file) => sum + readFileSync(path.join(out, file)).length, 0);
        },
      });
    }
    const rounds = await runRounds(sides, { repeats, missing }, async ({ generate }) => {
      const started = performance.now();
      const bytes = await generate();
      return { time: (performance.now() - started) / 1000, size: bytes / 1024 };
    });
    const rows = [...rounds].map(
      ([side, figures]): Row => ({ case: `${count} kinds of ${parts * 8} fields`, side, figures: computeSpreads(figures) }),
    );
    return { tables: [{ title: "CRD generation", columns: COLUMNS, rows }], missing };
  } finally {
    for (const temporary of [folder, pintleFolder]) rmSync(temporary, { recursive: true, force: true });
  }
}
