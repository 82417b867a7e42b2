import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Project } from "./find-project.ts";

/** Returns the content of all TypeScript files of the project and its tests, keyed by path relative to the root. */
export function readSources({ root, entry }: Pick<Project, "root" | "entry">): ReadonlyMap<string, string> {
  const found = [path.posix.dirname(entry), "test"].flatMap((folder) => listTypeScriptFiles(root, folder));
  return new Map(found.sort().map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
}

function listTypeScriptFiles(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
      .map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`);
  } catch {
    return [];
  }
}
