import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface ImportCost {
  readonly milliseconds: number;
  readonly rssMb: number;
}

const run = promisify(execFile);
const RUNS = 5;
const dist = fileURLToPath(new URL("../../packages/pintle/dist/", import.meta.url));

/** What `import` costs in a fresh process, median of five; `nothing` is Node itself. Ours is built first, as it is published. */
export async function importCosts(): Promise<Record<"nothing" | "pintle" | "pintle/client" | "client-node", ImportCost>> {
  await run(process.execPath, ["--import", "tsx", fileURLToPath(new URL("../../scripts/build.ts", import.meta.url))]);
  return {
    nothing: await costOf(undefined),
    pintle: await costOf(join(dist, "index.js")),
    "pintle/client": await costOf(join(dist, "client", "index.js")),
    "client-node": await costOf(fileURLToPath(import.meta.resolve("@kubernetes/client-node"))),
  };
}

async function costOf(path: string | undefined): Promise<ImportCost> {
  const load = path === undefined ? "" : `await import(${JSON.stringify(`file://${path}`)});`;
  const script = `const started = performance.now(); ${load} console.log(JSON.stringify([performance.now() - started, process.memoryUsage.rss() / 2 ** 20]))`;
  const measured: [number, number][] = [];
  for (let i = 0; i < RUNS; i++) measured.push(JSON.parse((await run(process.execPath, ["--input-type=module", "-e", script])).stdout));
  const median = (at: 0 | 1) => measured.map((one) => one[at]).sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
  return { milliseconds: median(0), rssMb: median(1) };
}
