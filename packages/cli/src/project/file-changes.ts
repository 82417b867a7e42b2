import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command/index.ts";

/** A pending change of one file. Paths use `/` on every platform. */
export interface FileChange {
  readonly file: string;
  readonly change: "created" | "updated" | "deleted";
  /** The new content; undefined deletes the file. */
  readonly text: string | undefined;
}

/** Returns the changes under `root` that produce `files` and delete every other file in `generatedFolders`. */
export function diffFiles(
  root: string,
  files: ReadonlyMap<string, string>,
  generatedFolders: readonly string[] = [],
): readonly FileChange[] {
  const written = [...files].flatMap(([file, text]): readonly FileChange[] => {
    const existing = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : undefined;
    return existing === text ? [] : [{ file, text, change: existing === undefined ? "created" : "updated" }];
  });
  const deleted = generatedFolders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
        .filter((file) => !files.has(file)),
    );
  return [...written, ...deleted.map((file): FileChange => ({ file, change: "deleted", text: undefined }))];
}

/**
 * Applies all changes or none: every file is first written to a temporary file next to its target, and an error removes the temporary files
 * before anything has changed.
 */
export function writeChanges(root: string, changes: readonly FileChange[]): void {
  const staged: { readonly fresh: string; readonly target: string }[] = [];
  const createdFolders: string[] = [];
  for (const { file, text } of changes) {
    if (text === undefined) continue;
    const target = path.join(root, file);
    const temporary = `${target}.${randomUUID().slice(0, 8)}`;
    try {
      const created = mkdirSync(path.dirname(target), { recursive: true });
      if (created !== undefined) createdFolders.push(created);
      staged.push({ fresh: temporary, target });
      writeFileSync(temporary, text);
    } catch (error) {
      for (const each of staged) rmSync(each.fresh, { force: true });
      for (const folder of createdFolders.reverse()) rmSync(folder, { recursive: true, force: true });
      throw new CommandError(
        "PINTLE7028",
        `cannot write ${file} (${(error as NodeJS.ErrnoException).code}): make its folder writable. Nothing was changed`,
      );
    }
  }
  for (const { fresh: temporary, target } of staged) renameSync(temporary, target);
  for (const { file, text } of changes) if (text === undefined) rmSync(path.join(root, file));
}
