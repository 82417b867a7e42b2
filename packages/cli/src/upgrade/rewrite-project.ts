import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { rewriteSource } from "./rewrite-source.ts";

/** The rewritten sources of a project. */
export interface RewrittenProject {
  /** New contents, keyed by path relative to the root. */
  readonly files: ReadonlyMap<string, string>;
  /** One line per changed name: "src/main.ts: start -> startManager". */
  readonly changes: readonly string[];
  /** One line per place that the user must check. */
  readonly manual: readonly string[];
}

const IGNORED_FOLDERS = new Set(["node_modules", "dist", ".pintle", ".git"]);

/** Rewrites renamed symbols in all TypeScript files of a project, without writing them. Files that cannot be read as TypeScript are reported. */
export function rewriteProject(root: string): RewrittenProject {
  const files = new Map<string, string>();
  const changes: string[] = [];
  const manual: string[] = [];
  for (const file of listTypeScriptFiles(root, "")) {
    const before = readFileSync(path.join(root, file), "utf8");
    try {
      const after = rewriteSource(before);
      if (after.text !== before) files.set(file, after.text);
      changes.push(...after.changes.map((line) => `${file}: ${line}`));
      manual.push(...after.manual.map((line) => `${file}: ${line}`));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      manual.push(`${file}: not rewritten: ${error.message}`);
    }
  }
  return { files, changes, manual };
}

function listTypeScriptFiles(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : listTypeScriptFiles(root, file);
      return entry.isFile() && /\.[cm]?ts$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [file] : [];
    })
    .sort();
}
