import { lstat, readlink } from "node:fs/promises";
import path from "node:path";

const MOST_LINKS = 40;

/** What a path means inside of a root: links are followed as somebody would who knows nothing outside of it. */
export async function inside(root: string, wanted: string): Promise<string> {
  let done = "/";
  let rest = wanted.split("/").filter((part) => part !== "" && part !== ".");
  for (let links = 0; rest.length > 0; ) {
    const [part = "", ...more] = rest;
    rest = more;
    if (part === "..") {
      done = path.posix.dirname(done);
      continue;
    }
    const next = path.posix.join(done, part);
    const there = await lstat(path.join(root, next)).catch(() => undefined);
    if (there?.isSymbolicLink() !== true) {
      done = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new Error(`${wanted}: too many levels of symbolic links`);
    const target = await readlink(path.join(root, next));
    if (target.startsWith("/")) done = "/";
    rest = [...target.split("/").filter((each) => each !== "" && each !== "."), ...rest];
  }
  return done;
}
