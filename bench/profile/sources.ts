import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const texts = new Map<string, readonly string[]>();
const HEADING = /^\/\/ (?:.*\/)?(src\/.+\.ts)$/;

/** Which of our files a line of a bundle came from: esbuild writes the name above each. Undefined when it does not say. */
export function sourceOf(url: string, line: number): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const lines = texts.get(url) ?? read(url);
  texts.set(url, lines);
  for (let at = Math.min(line, lines.length - 1); at >= 0; at--) {
    const [, file] = HEADING.exec(lines[at]!) ?? [];
    if (file !== undefined) return file;
  }
  return undefined;
}

function read(url: string): readonly string[] {
  const path = fileURLToPath(url);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
}
