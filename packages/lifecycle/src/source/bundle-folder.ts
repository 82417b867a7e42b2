import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { PintleError } from "pintle/internal/errors";
import type { BundleFiles } from "../bundle/index.ts";
import { findFileProblem } from "./file-problem.ts";

const FOLDERS = ["manifests", "metadata"];
/** Of all files together, as for the image of a bundle. */
const MAX_BYTES = 256 << 20;

/**
 * Reads the files of a bundle from its folder. Throws `PintleError` for a link that leads out of the folder, for what is neither file nor folder,
 * and for a folder with more than 256 MiB.
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
  const budget = { bytes: MAX_BYTES };
  for (const name of FOLDERS) {
    if (lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined) addFiles(root, name, files, budget);
  }
  return files;
}

function addFiles(root: string, path: string, files: Map<string, Buffer>, budget: { bytes: number }): void {
  const full = join(root, path);
  if (lstatSync(full).isDirectory()) {
    for (const entry of readdirSync(full).sort()) addFiles(root, `${path}/${entry}`, files, budget);
    return;
  }
  const problem = findFileProblem(full, budget.bytes);
  if (problem !== undefined) throw new PintleError("PINTLE8015", `${path} ${problem}`);
  const real = realpathSync(full);
  if (!real.startsWith(`${root}${sep}`)) {
    throw new PintleError("PINTLE8015", `${path} is a link out of the bundle, to ${real}: replace it by a copy of the file`);
  }
  const bytes = readFileSync(real);
  budget.bytes -= bytes.length;
  files.set(path, bytes);
}
