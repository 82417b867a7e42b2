/**
 * `npm run build`: builds every publishable package into its dist/, in dependency order; `npm run build -- cli` builds one of them and those that it
 * depends on, if they are not built. esbuild bundles the source files behind each export into a few, because opening many files takes most of the
 * import time; tsc writes the declarations.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ORDER = ["pintle", "cluster", "lifecycle", "console", "cli", "create-pintle"];

const wanted = process.argv.slice(2);
const last = Math.max(...wanted.map((name) => ORDER.indexOf(name)));
const unknown = wanted.find((name) => !ORDER.includes(name));
if (unknown !== undefined) throw new Error(`packages/${unknown}: not one of ${ORDER.join(", ")}`);
const isBuilt = (name: string) => existsSync(path.join(root, "packages", name, "dist"));

for (const name of wanted.length === 0 ? ORDER : ORDER.filter((each, at) => wanted.includes(each) || (at < last && !isBuilt(each)))) {
  const folder = path.join(root, "packages", name);
  rmSync(path.join(folder, "dist"), { recursive: true, force: true });
  emitDeclarations(folder);
  await build({
    entryPoints: listEntryPoints(folder),
    outdir: path.join(folder, "dist"),
    outbase: path.join(folder, "src"),
    bundle: true,
    splitting: true,
    chunkNames: "shared/[hash]",
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    // The page of the console, which is written below.
    external: ["#page"],
    // For stack traces with the names of source files, with node --enable-source-maps.
    sourcemap: true,
    logLevel: "warning",
  });
  if (name === "console") await writeConsolePage(folder);
  // npm packs a licence only from the package's own folder.
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  console.log(`built packages/${name}`);
}

/** Writes the page of the console as a module, from which also bundles of operators take it. */
async function writeConsolePage(folder: string): Promise<void> {
  const { buildPage } = await import("../packages/console/src/files/page-from-source.ts");
  writeFileSync(path.join(folder, "dist/page.js"), `export const page = ${JSON.stringify(await buildPage(), null, 2)};\n`);
}

function emitDeclarations(folder: string): void {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", path.join(folder, "tsconfig.build.json"), "--emitDeclarationOnly"];
  const finished = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (finished.status !== 0) process.exit(finished.status ?? 1);
}

/** The sources behind every export and command of a package. */
function listEntryPoints(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, { readonly "@pintle/source": string }>>;
    readonly bin?: Readonly<Record<string, string>>;
  };
  const sources = Object.values(manifest.exports ?? {}).map((entry) => entry["@pintle/source"]);
  // A command is a script in bin/ that imports dist/bin.js.
  const commands = Object.keys(manifest.bin ?? {}).map(() => "./src/bin.ts");
  return [...sources, ...commands].flatMap((file) => expandEntryPoint(folder, file));
}

/** Expands `*` to any path, as in `exports`; before `/index.ts` to one folder, because deeper ones are private. */
function expandEntryPoint(folder: string, file: string): string[] {
  const [before = "", after] = file.split("*");
  if (after === undefined) return [path.join(folder, file)];
  const base = path.join(folder, before);
  if (!existsSync(base)) return [];
  if (after === "/index.ts") {
    const folders = readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => path.join(base, name, "index.ts")).filter((entry) => existsSync(entry));
  }
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((found) => found.endsWith(after) && !/\.test(-d)?\.ts$/.test(found))
    .map((found) => path.join(base, found));
}
