import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { PintleError } from "pintle/internal/errors";
import type { BundleFiles } from "../bundle/index.ts";

const FOLDERS = ["manifests", "metadata"];

/**
 * Reads the files of a bundle from its folder. Throws `PintleError` for a link that leads out of the folder.
 *
 * @example
 * ```ts
 * import { readBundleFolder } from "@pintle/lifecycle";
 *
 * const files = readBundleFolder("bundle");
 * ```
 */
export function readBundleFolder(folder: string): BundleFiles {
  const files = new Map<string, Buffer>();
  const root = realpathSync(folder);
  for (const name of FOLDERS) addFiles(root, name, files);
  return files;
}

function addFiles(root: string, path: string, files: Map<string, Buffer>): void {
  let entries: string[];
  try {
    entries = readdirSync(join(root, path)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
    const real = realpathSync(join(root, path));
    if (!real.startsWith(`${root}${sep}`)) {
      throw new PintleError("PINTLE8015", `${path} is a link out of the bundle, to ${real}: replace it by a copy of the file`);
    }
    files.set(path, readFileSync(real));
    return;
  }
  for (const entry of entries) addFiles(root, `${path}/${entry}`, files);
}
