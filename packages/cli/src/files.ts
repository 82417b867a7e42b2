import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CommandError } from "./command.ts";

/** One file that is not as it should be. Paths have `/` on every system. */
export interface Change {
  readonly file: string;
  readonly change: "created" | "updated" | "deleted";
  /** Undefined: the file goes. */
  readonly text: string | undefined;
}

/** What must change under `root` so that `files` are there, and nothing else in the folders `whole`. */
export function changesOf(root: string, files: ReadonlyMap<string, string>, whole: readonly string[] = []): readonly Change[] {
  const written = [...files].flatMap(([file, text]): readonly Change[] => {
    const there = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : undefined;
    return there === text ? [] : [{ file, text, change: there === undefined ? "created" : "updated" }];
  });
  const gone = whole
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
        .filter((file) => !files.has(file)),
    );
  return [...written, ...gone.map((file): Change => ({ file, change: "deleted", text: undefined }))];
}

/**
 * All of them or none: everything is written beside its place first, and what cannot be written stops it while nothing has
 * changed. A file that is cut off in the middle would be worse than an old one.
 */
export function carryOut(root: string, changes: readonly Change[]): void {
  const ready: { readonly fresh: string; readonly target: string }[] = [];
  const folders: string[] = [];
  for (const { file, text } of changes) {
    if (text === undefined) continue;
    const target = path.join(root, file);
    const fresh = `${target}.${randomUUID().slice(0, 8)}`;
    try {
      const made = mkdirSync(path.dirname(target), { recursive: true });
      if (made !== undefined) folders.push(made);
      ready.push({ fresh, target });
      writeFileSync(fresh, text);
    } catch (error) {
      for (const each of ready) rmSync(each.fresh, { force: true });
      for (const folder of folders.reverse()) rmSync(folder, { recursive: true, force: true });
      throw new CommandError(
        `pintle: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}): make its folder writable; nothing was changed`,
      );
    }
  }
  for (const { fresh, target } of ready) renameSync(fresh, target);
  for (const { file, text } of changes) if (text === undefined) rmSync(path.join(root, file));
}
