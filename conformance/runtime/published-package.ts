import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Creates a folder with scripts, as sources and compiled, that import pintle as published. The caller removes it. */
export function createPublishedFolder(...scripts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "pintle-published-"));
  const library = join(folder, "node_modules", "pintle");
  mkdirSync(library, { recursive: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "packages/pintle/tsconfig.build.json"), "--outDir", join(library, "dist")]);
  copyFileSync(join(root, "packages/pintle/package.json"), join(library, "package.json"));
  const { dependencies } = JSON.parse(readFileSync(join(library, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const script of scripts) {
    const { code } = transformSync(readFileSync(script, "utf8"), { loader: "ts", format: "esm", target: "es2023" });
    writeFileSync(join(folder, basename(script).replace(/\.ts$/, ".js")), code);
    copyFileSync(script, join(folder, basename(script)));
  }
  return folder;
}
