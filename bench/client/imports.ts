import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

export interface ImportCost {
  readonly milliseconds: number;
  readonly rssMb: number;
}

const run = promisify(execFile);
const RUNS = 5;
const pintle = fileURLToPath(new URL("../../packages/pintle/", import.meta.url));

/** What `import` costs in a fresh process, median of five; `nothing` is Node itself. */
export async function importCosts(): Promise<Record<"nothing" | "pintle" | "pintle/client" | "client-node", ImportCost>> {
  const compiled = await compile();
  try {
    return {
      nothing: await costOf(undefined),
      pintle: await costOf(join(compiled, "index.js")),
      "pintle/client": await costOf(join(compiled, "client", "index.js")),
      "client-node": await costOf(fileURLToPath(import.meta.resolve("@kubernetes/client-node"))),
    };
  } finally {
    await rm(compiled, { recursive: true });
  }
}

/** The library as it is published, file by file, beside its sources so that its dependencies are found. */
async function compile(): Promise<string> {
  await mkdir(join(pintle, "node_modules"), { recursive: true });
  const out = await mkdtemp(join(pintle, "node_modules", ".bench-"));
  const sources = (await readdir(join(pintle, "src"), { recursive: true })).filter(
    (path) => path.endsWith(".ts") && !path.includes(".test"),
  );
  await build({
    entryPoints: sources.map((path) => join(pintle, "src", path)),
    outbase: join(pintle, "src"),
    outdir: out,
    format: "esm",
    platform: "node",
    logLevel: "error",
    plugins: [
      {
        name: "extensions",
        setup(plugin) {
          plugin.onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
            kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true },
          );
          plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => (kind === "entry-point" ? undefined : { path, external: true }));
        },
      },
    ],
    bundle: true,
    packages: "external",
  });
  return out;
}

async function costOf(path: string | undefined): Promise<ImportCost> {
  const load = path === undefined ? "" : `await import(${JSON.stringify(`file://${path}`)});`;
  const script = `const started = performance.now(); ${load} console.log(JSON.stringify([performance.now() - started, process.memoryUsage.rss() / 2 ** 20]))`;
  const measured: [number, number][] = [];
  for (let i = 0; i < RUNS; i++) measured.push(JSON.parse((await run(process.execPath, ["--input-type=module", "-e", script])).stdout));
  const median = (at: 0 | 1) => measured.map((one) => one[at]).sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
  return { milliseconds: median(0), rssMb: median(1) };
}
