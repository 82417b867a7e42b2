/**
 * `npm run build`: every publishable package to its dist/, in dependency order.
 * esbuild joins the many small files behind each export into a few (Node opens files one by one, so this is most of the
 * import time); tsc writes the declarations.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ORDER = ["pintle", "cluster", "cli", "create-pintle"];

for (const name of ORDER) {
  const folder = path.join(root, "packages", name);
  rmSync(path.join(folder, "dist"), { recursive: true, force: true });
  declarations(folder);
  await build({
    entryPoints: entryPoints(folder),
    outdir: path.join(folder, "dist"),
    outbase: path.join(folder, "src"),
    bundle: true,
    splitting: true,
    chunkNames: "shared/[hash]",
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    logLevel: "warning",
  });
  // npm packs a licence only from the package's own folder.
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  console.log(`built packages/${name}`);
}

function declarations(folder: string): void {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", path.join(folder, "tsconfig.build.json"), "--emitDeclarationOnly"];
  const done = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** The sources behind every export and command of a package. */
function entryPoints(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, { readonly "@pintle/source": string }>>;
    readonly bin?: Readonly<Record<string, string>>;
  };
  const sources = Object.values(manifest.exports ?? {}).map((entry) => entry["@pintle/source"]);
  const commands = Object.values(manifest.bin ?? {}).map((file) => file.replace("./dist/", "./src/").replace(/\.js$/, ".ts"));
  return [...sources, ...commands].flatMap((file) => matching(folder, file));
}

/** A `*` stands for any path, as it does in `exports`. */
function matching(folder: string, file: string): string[] {
  const [before = "", after] = file.split("*");
  if (after === undefined) return [path.join(folder, file)];
  const base = path.join(folder, before);
  if (!existsSync(base)) return [];
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((found) => found.endsWith(after) && !/\.test(-d)?\.ts$/.test(found))
    .map((found) => path.join(base, found));
}
