/** `npm run build`: every publishable package to its dist/, in dependency order. `prepack` builds one package the same way. */
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ORDER = ["pintle", "cluster", "cli", "create-pintle"];

for (const name of ORDER) {
  const folder = path.join(root, "packages", name);
  rmSync(path.join(folder, "dist"), { recursive: true, force: true });
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const done = spawnSync(process.execPath, [tsc, "-p", path.join(folder, "tsconfig.build.json")], { stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
  // npm packs a licence only from the package's own folder.
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  console.log(`built packages/${name}`);
}
