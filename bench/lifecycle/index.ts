import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { makeCatalog } from "../../conformance/lifecycle/make-catalog.ts";
import { runOpm } from "../../conformance/lifecycle/opm.ts";
import { listPublishedBundles } from "../../conformance/lifecycle/published.ts";
import { findOpm } from "../../conformance/lifecycle/reference.ts";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Column, Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import { BYTES_PER_BUNDLE, measureManager } from "./measure-manager.ts";
import { runProgram } from "./run-program.ts";

const SIZES = {
  quick: { packages: [20], bundles: 3, repeats: 1, catalog: 20 },
  default: { packages: [965, 1_930, 3_860, 7_720], bundles: 50, repeats: 3, catalog: 8_300 },
  full: { packages: [1_930, 7_720, 30_880], bundles: 50, repeats: 5, catalog: 8_300 },
};
const COLUMNS: readonly Column[] = [
  { name: "cpu", unit: "CPU s", better: "lower", digits: 2 },
  { name: "time", unit: "s", better: "lower", digits: 2 },
  { name: "memory", unit: "MB at the peak", better: "lower", digits: 0 },
];

/**
 * Measures the validation of large catalogs and the rendering of bundles beside opm, including the start of the programs, and the lifecycle manager beside the
 * code of catalogd.
 */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { packages, bundles, repeats, catalog: managed } = selectSizes(options, SIZES);
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-lifecycle-"));
  const opm = findOpm();
  const missing: Record<string, string> = opm === undefined ? { opm: "not built: npm run lifecycle:build" } : {};
  try {
    const programs = await buildPrograms(folder);
    const node = (program: string) => (args: readonly string[]) => runProgram(process.execPath, [path.join(folder, program), ...args]);
    const sidesOf = (verb: string, program: string) => [
      { name: "pintle", start: node(program) },
      ...(opm === undefined ? [] : [{ name: "opm", start: (args: readonly string[]) => runProgram(opm, [verb, ...args]) }]),
    ];
    const measure = async (name: string, verb: string, program: string, args: readonly string[], per = 1): Promise<Row[]> => {
      const rounds = await runRounds(sidesOf(verb, program), { repeats, missing }, async ({ start }) => {
        const { cpuSeconds, seconds, peakMb } = await start(args);
        return { cpu: cpuSeconds / per, time: seconds / per, memory: peakMb };
      });
      return [...rounds].map(([side, figures]): Row => ({ case: name, side, figures: computeSpreads(figures) }));
    };
    const validations: Row[] = [];
    for (const count of packages) {
      const catalog = path.join(folder, `catalog-${count}`);
      const megabytes = await writeCatalog(catalog, count);
      validations.push(...(await measure(`${count} bundles, ${megabytes} MB`, "validate", programs.validate, [catalog])));
    }
    const valid: string[] = [];
    for (const bundle of listPublishedBundles()) {
      if (valid.length < bundles && (opm === undefined || "text" in (await runOpm(opm, ["render", bundle])))) valid.push(bundle);
    }
    const one = await measure("one bundle", "render", programs.render, valid.slice(0, 1));
    const batch = await measure(`per bundle of ${valid.length}`, "render", programs.render, valid, valid.length);
    const manager = await measureManager({ folder, program: path.join(folder, programs.manager), bundles: managed, repeats, missing });
    return {
      tables: [
        ...manager,
        { title: "validate a catalog", columns: COLUMNS, rows: validations },
        {
          title: "render bundles",
          columns: COLUMNS.map((column) => (column.name === "memory" ? column : { ...column, digits: 3 })),
          rows: [...one, ...batch],
        },
      ],
      missing,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles the programs, so that no TypeScript loader runs in the measured processes. */
async function buildPrograms(folder: string): Promise<{ readonly validate: string; readonly render: string; readonly manager: string }> {
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await build({
    entryPoints: Object.fromEntries(
      ["./validate-catalog.ts", "./render-bundles.ts", "../../packages/lifecycle/src/bin.ts"].map((file) => [
        path.basename(file, ".ts"),
        fileURLToPath(new URL(file, import.meta.url)),
      ]),
    ),
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["@pintle/source"],
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  return { validate: "validate-catalog.js", render: "render-bundles.js", manager: "bin.js" };
}

/** Returns the size in MB. */
async function writeCatalog(folder: string, packages: number): Promise<number> {
  mkdirSync(folder);
  const output = createWriteStream(path.join(folder, "catalog.json"));
  let bytes = 0;
  for (const blob of makeCatalog({ packages, bundlesPerPackage: 1, bytesPerBundle: BYTES_PER_BUNDLE })) {
    const line = `${JSON.stringify(blob)}\n`;
    bytes += line.length;
    if (!output.write(line)) await once(output, "drain");
  }
  output.end();
  await once(output, "close");
  return Math.round(bytes / 1e6);
}
