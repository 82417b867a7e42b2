import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { PintleError } from "pintle/internal/errors";
import { type CatalogFiles, CatalogValidator, type IgnorePattern, isIgnored, parseIgnoreFile } from "../fbc/index.ts";
import { findFileProblem } from "./file-problem.ts";

const IGNORE_FILE = ".indexignore";
const MAX_IGNORE_BYTES = 1 << 20;
const CHUNK_SIZE = 1 << 20;

/** Lists the files of a catalog, relative to its folder and sorted, without those that `.indexignore` files exclude. */
export function listCatalogFiles(folder: string): string[] {
  const files = listFiles(folder, []);
  const patterns = files
    .filter((path) => path.at(-1) === IGNORE_FILE)
    .flatMap((path): IgnorePattern[] => parseIgnoreFile(readIgnoreFile(join(folder, ...path)), path.slice(0, -1)));
  return files.filter((path) => path.at(-1) !== IGNORE_FILE && !isIgnored(path, patterns)).map((path) => path.join("/"));
}

function readIgnoreFile(file: string): string {
  const problem = findFileProblem(file, MAX_IGNORE_BYTES);
  if (problem !== undefined) throw new PintleError("PINTLE8015", `${file} ${problem}`);
  return readFileSync(file, "utf8");
}

function listFiles(folder: string, parents: readonly string[]): string[][] {
  const entries = readdirSync(join(folder, ...parents), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = [...parents, entry.name];
    return entry.isDirectory() ? listFiles(folder, path) : [path];
  });
}

/** Reads a file in chunks. Throws `PintleError` for what is no file: a pipe or a device could be read forever. */
export function* readChunks(file: string): Generator<Buffer> {
  const problem = findFileProblem(file);
  if (problem !== undefined) throw new PintleError("PINTLE8015", `${file} ${problem}`);
  const descriptor = openSync(file, "r");
  try {
    while (true) {
      const chunk = Buffer.allocUnsafe(CHUNK_SIZE);
      const length = readSync(descriptor, chunk, 0, CHUNK_SIZE, null);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Validates the catalog in a folder with the verdict and texts of `opm validate`. Throws `PintleError` if it is not valid.
 *
 * @example
 * ```ts
 * import { validateCatalogFolder } from "@pintle/lifecycle";
 *
 * validateCatalogFolder("catalog");
 * ```
 */
export function validateCatalogFolder(folder: string): void {
  const validator = new CatalogValidator();
  for (const file of listCatalogFiles(folder)) validator.addFile(file, readChunks(join(folder, file)));
  validator.finish();
}

/** The files of the catalog in a folder. */
export function openCatalogFiles(folder: string): CatalogFiles {
  return { names: listCatalogFiles(folder), read: (name) => readChunks(join(folder, name)) };
}
