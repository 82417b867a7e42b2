import { chmod, lchown, link, lstat, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { resolveInRoot } from "../path-in-root.ts";
import { readTarEntries, type TarEntry } from "./tar-reader.ts";

const WHITEOUT_PREFIX = ".wh.";
const OPAQUE_WHITEOUT = ".wh..wh..opq";

/** The largest layer, unpacked: a small archive can expand to any size. */
const MAX_LAYER_BYTES = 2 * 1024 ** 3;

/**
 * Unpacks a layer over the existing files of a folder. Nothing outside of it is written or deleted, whatever paths, links and whiteouts
 * say. Devices are skipped. Throws for a layer that is damaged or too large.
 */
export async function unpackLayer(layer: Buffer, root: string, mayChown: boolean, maxBytes = MAX_LAYER_BYTES): Promise<void> {
  const isCompressed = layer[0] === 0x1f && layer[1] === 0x8b;
  const archive = isCompressed ? await promisify(gunzip)(layer, { maxOutputLength: maxBytes }) : layer;
  for (const entry of readTarEntries(archive)) {
    const name = path.posix.basename(entry.path);
    const entryPath = path.posix.normalize(`/${entry.path}`);
    if (entryPath === "/") continue;
    const folder = path.join(root, await resolveInRoot(root, path.posix.dirname(entryPath)));
    await mkdir(folder, { recursive: true });
    if (name === OPAQUE_WHITEOUT) {
      for (const each of await readdir(folder)) await rm(path.join(folder, each), { recursive: true, force: true });
    } else if (name.startsWith(WHITEOUT_PREFIX)) {
      const deleted = name.slice(WHITEOUT_PREFIX.length);
      // ".wh..." would name the parent folder.
      if (deleted === "" || deleted === "." || deleted === "..") throw new Error(`invalid whiteout ${JSON.stringify(entry.path)}`);
      await rm(path.join(folder, deleted), { recursive: true, force: true });
    } else await writeEntry(entry, path.join(folder, path.posix.basename(entryPath)), root, mayChown);
  }
}

async function writeEntry({ type, mode, uid, gid, target, data }: TarEntry, file: string, root: string, mayChown: boolean): Promise<void> {
  const existing = await lstat(file).catch(() => undefined);
  if (existing !== undefined && !(type === "folder" && existing.isDirectory())) await rm(file, { recursive: true, force: true });
  if (type === "folder") await mkdir(file, { recursive: true });
  else if (type === "file") await writeFile(file, data);
  else if (type === "link") await symlink(target, file);
  else if (type === "hard link") await link(path.join(root, await resolveInRoot(root, `/${target}`)), file);
  else return;
  if (mayChown && type !== "hard link") await lchown(file, uid, gid);
  if (type === "file" || type === "folder") await chmod(file, mode);
}
