import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of a Go module in the module cache, where the build of the reference program put it. */
export function findModule(module: string): string {
  const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
  const folder = join(cache, module);
  if (!existsSync(folder)) throw new Error(`${folder} is missing: npm run lifecycle:build`);
  return folder;
}

/** All folders below a folder. */
export function listFolders(root: string): string[] {
  const entries = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.flatMap((entry) => [join(root, entry.name), ...listFolders(join(root, entry.name))]);
}

/** Where bundles of real operators are: `$PINTLE_BUNDLES`, or beside this repository. */
export function findRealBundles(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder = env["PINTLE_BUNDLES"] ?? join(import.meta.dirname, "..", "..", "..", "shared", "data", "bundles");
  if (existsSync(folder)) return folder;
  console.warn(`\n!!! lifecycle: REAL BUNDLES WERE NOT COMPARED: ${folder} is missing. Set PINTLE_BUNDLES to a folder with bundles.\n`);
  return undefined;
}

/** The bundles that operator-controller, operator-registry and the operator-framework API publish with their tests, and those of real operators. */
export function listPublishedBundles(): string[] {
  const modules = ["operator-controller@v1.11.0", "operator-registry@v1.73.0", "api@v0.45.0"];
  const roots = modules.map((module) => findModule(`github.com/operator-framework/${module}`));
  const own = findRealBundles();
  if (own !== undefined) roots.push(own);
  return roots.flatMap(listFolders).filter((folder) => existsSync(join(folder, "metadata", "annotations.yaml")));
}
