import { chmod, lchown, link, lstat, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { inside } from "./inside.ts";
import { type TarEntry, untar } from "./untar.ts";

const HIDDEN = ".wh.";
const OPAQUE = ".wh..wh..opq";

/** Lays one layer of an image over what is in a folder already. Nothing is written outside, whatever its links say. */
export async function unpack(layer: Buffer, root: string, mayChown: boolean): Promise<void> {
  const archive = layer[0] === 0x1f && layer[1] === 0x8b ? await promisify(gunzip)(layer) : layer;
  for (const entry of untar(archive)) {
    const name = path.posix.basename(entry.path);
    const wanted = path.posix.normalize(`/${entry.path}`);
    if (wanted === "/") continue;
    const folder = path.join(root, await inside(root, path.posix.dirname(wanted)));
    await mkdir(folder, { recursive: true });
    if (name === OPAQUE) {
      for (const each of await readdir(folder)) await rm(path.join(folder, each), { recursive: true, force: true });
    } else if (name.startsWith(HIDDEN)) {
      await rm(path.join(folder, name.slice(HIDDEN.length)), { recursive: true, force: true });
    } else await place(entry, path.join(folder, path.posix.basename(wanted)), root, mayChown);
  }
}

async function place({ type, mode, uid, gid, target, data }: TarEntry, file: string, root: string, mayChown: boolean): Promise<void> {
  const there = await lstat(file).catch(() => undefined);
  if (there !== undefined && !(type === "folder" && there.isDirectory())) await rm(file, { recursive: true, force: true });
  if (type === "folder") await mkdir(file, { recursive: true });
  else if (type === "file") await writeFile(file, data);
  else if (type === "link") await symlink(target, file);
  else if (type === "hard link") await link(path.join(root, await inside(root, `/${target}`)), file);
  else return;
  if (mayChown && type !== "hard link") await lchown(file, uid, gid);
  if (type === "file" || type === "folder") await chmod(file, mode);
}
