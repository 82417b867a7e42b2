import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { buildPackages } from "../harness/subjects/build-packages.ts";

interface ImportCost {
  readonly time: number;
  readonly RSS: number;
}

const dist = fileURLToPath(new URL("../../packages/pintle/dist/", import.meta.url));

/** Measures the import of each client in a new process; `node` imports nothing. The packages are built first, as they are published. */
export async function measureImports(runs: number): Promise<Table> {
  await buildPackages();
  const modules: readonly (readonly [string, string | undefined])[] = [
    ["node", undefined],
    ["pintle", join(dist, "index.js")],
    ["pintle/client", join(dist, "client", "index.js")],
    ["client-node", fileURLToPath(import.meta.resolve("@kubernetes/client-node"))],
  ];
  const costs = modules.map(() => [] as ImportCost[]);
  for (let run = 0; run < runs; run++) for (const [i, [, path]] of modules.entries()) costs[i]!.push(await measureImport(path));
  return {
    title: "Import cost",
    columns: [
      { name: "time", unit: "ms", better: "lower", digits: 0 },
      { name: "RSS", unit: "MB", better: "lower", digits: 0 },
    ],
    rows: modules.map(([side], i): Row => ({ case: "", side, figures: computeSpreads(costs[i]!) })),
  };
}

async function measureImport(path: string | undefined): Promise<ImportCost> {
  const load = path === undefined ? "" : `await import(${JSON.stringify(`file://${path}`)});`;
  const script = `const started = performance.now(); ${load} console.log(JSON.stringify({ time: performance.now() - started, RSS: process.memoryUsage.rss() / 2 ** 20 }))`;
  return JSON.parse((await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])).stdout) as ImportCost;
}
