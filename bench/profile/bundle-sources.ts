import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bundles = new Map<string, readonly string[]>();
const HEADING = /^\/\/ (?:.*\/)?(src\/.+\.ts)$/;

/** The source file of a line of a bundle, from the comment that esbuild writes above each module. Undefined if there is none. */
export function findSourceFile(url: string, line: number): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const lines = bundles.get(url) ?? readLines(url);
  bundles.set(url, lines);
  for (let i = Math.min(line, lines.length - 1); i >= 0; i--) {
    const [, file] = HEADING.exec(lines[i]!) ?? [];
    if (file !== undefined) return file;
  }
  return undefined;
}

function readLines(url: string): readonly string[] {
  const path = fileURLToPath(url);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
}
