import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Correction } from "./recipes.ts";

const name = "./corrected";

/** Copies a module from Go's read-only cache and applies the corrections; returns its path inside `workspace`. */
export async function applyCorrections(module: string, workspace: string, corrections: readonly Correction[]): Promise<string> {
  for (const entry of await readdir(module, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const copy = join(workspace, name, relative(module, source));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, await readFile(source));
  }
  for (const { file, text, instead } of corrections) {
    const path = join(workspace, name, file);
    const [before, after, ...more] = (await readFile(path, "utf8")).split(text);
    if (after === undefined || more.length > 0)
      throw new Error(`${file}: ${JSON.stringify(text)} does not occur exactly once: check the correction against this version`);
    await writeFile(path, before + instead + after);
  }
  return name;
}
