import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Project } from "./find-project.ts";

/** The texts of the TypeScript files beside the entry file and in folders below, and of the tests, by path from the root. */
export function sourcesOf({ root, entry }: Pick<Project, "root" | "entry">): ReadonlyMap<string, string> {
  const found = [path.posix.dirname(entry), "test"].flatMap((folder) => filesIn(root, folder));
  return new Map(found.sort().map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
}

function filesIn(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
      .map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`);
  } catch {
    return [];
  }
}
