import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { spreads } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { build } from "../server/build.ts";

interface Cost {
  readonly time: number;
  readonly RSS: number;
}

const dist = fileURLToPath(new URL("../../packages/pintle/dist/", import.meta.url));

/** What `import` costs in a fresh process; `nothing` is Node itself. Ours is built first, as it is published. */
export async function importCosts(runs: number): Promise<Table> {
  await build();
  const wanted: readonly (readonly [string, string | undefined])[] = [
    ["node", undefined],
    ["pintle", join(dist, "index.js")],
    ["pintle/client", join(dist, "client", "index.js")],
    ["client-node", fileURLToPath(import.meta.resolve("@kubernetes/client-node"))],
  ];
  const costs = wanted.map(() => [] as Cost[]);
  for (let run = 0; run < runs; run++) for (const [i, [, path]] of wanted.entries()) costs[i]!.push(await costOf(path));
  return {
    title: "What importing costs",
    columns: [
      { name: "time", unit: "ms", better: "less", digits: 0 },
      { name: "RSS", unit: "MB", better: "less", digits: 0 },
    ],
    rows: wanted.map(([side], i): Row => ({ case: "", side, figures: spreads(costs[i]!) })),
  };
}

async function costOf(path: string | undefined): Promise<Cost> {
  const load = path === undefined ? "" : `await import(${JSON.stringify(`file://${path}`)});`;
  const script = `const started = performance.now(); ${load} console.log(JSON.stringify({ time: performance.now() - started, RSS: process.memoryUsage.rss() / 2 ** 20 }))`;
  return JSON.parse((await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])).stdout) as Cost;
}
