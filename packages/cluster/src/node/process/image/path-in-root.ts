import { lstat, readlink } from "node:fs/promises";
import path from "node:path";

const MAX_SYMLINKS = 40;

/** Resolves a path within a root directory. Symbolic links are followed as they would be in a chroot. */
export async function resolveInRoot(root: string, requested: string): Promise<string> {
  let resolved = "/";
  let rest = requested.split("/").filter((part) => part !== "" && part !== ".");
  for (let links = 0; rest.length > 0; ) {
    const [part = "", ...more] = rest;
    rest = more;
    if (part === "..") {
      resolved = path.posix.dirname(resolved);
      continue;
    }
    const next = path.posix.join(resolved, part);
    const entry = await lstat(path.join(root, next)).catch(() => undefined);
    if (entry?.isSymbolicLink() !== true) {
      resolved = next;
      continue;
    }
    if (++links > MAX_SYMLINKS) throw new Error(`${requested}: too many levels of symbolic links`);
    const target = await readlink(path.join(root, next));
    if (target.startsWith("/")) resolved = "/";
    rest = [...target.split("/").filter((each) => each !== "" && each !== "."), ...rest];
  }
  return resolved;
}
