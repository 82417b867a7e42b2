/** Builds the packages and packs them as `npm publish` would: for tests of what users install. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withScratch } from "../conformance/real/scratch.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Folders below packages/, in the order of their dependencies. */
export const PACKAGE_FOLDERS = ["pintle", "cluster", "lifecycle", "console", "cli", "create-pintle"] as const;

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
  readonly shasum: string;
  readonly files: readonly { readonly path: string }[];
}

/** Runs npm and returns its output. */
export function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
}

/** Builds the packages, writes their tarballs into `folder` and returns them by folder name. One process at a time builds. */
export async function packPackages(folder: string): Promise<ReadonlyMap<string, PackedPackage>> {
  const lock = path.join(root, "node_modules/.cache/pack-lock");
  return withScratch(lock, { signal: new AbortController().signal, onWait: () => {} }, async () => {
    npm(root, "run", "build");
    return new Map(
      PACKAGE_FOLDERS.map((name) => {
        const text = npm(path.join(root, "packages", name), "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
        return [name, (JSON.parse(text) as [PackedPackage])[0]];
      }),
    );
  });
}
