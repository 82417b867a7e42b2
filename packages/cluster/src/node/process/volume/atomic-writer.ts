import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

export interface VolumeFile {
  readonly data: Buffer;
  readonly mode: number;
}
/** By path inside the volume. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

const DATA = "..data";

/** Writes all files of a volume so that readers see the old ones or the new ones, never some of both. Gives whether anything changed. */
export async function writeAtomically(folder: string, files: VolumeFiles): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const before = await readlink(path.join(folder, DATA)).catch(() => undefined);
  if (before !== undefined && (await holds(path.join(folder, before), files))) return false;
  const fresh = await mkdtemp(path.join(folder, "..version-"));
  // Whoever the container runs as has to get in.
  await chmod(fresh, 0o755);
  for (const [name, { data, mode }] of files) {
    const file = path.join(fresh, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, data, { mode });
  }
  const link = path.join(folder, `${DATA}_tmp`);
  await rm(link, { force: true });
  await symlink(path.basename(fresh), link);
  await rename(link, path.join(folder, DATA));
  await linkTops(folder, new Set([...files.keys()].map((name) => name.split("/")[0]!)));
  if (before !== undefined) await rm(path.join(folder, before), { recursive: true, force: true });
  return true;
}

/** What a reader opens are links through `..data`. */
async function linkTops(folder: string, tops: ReadonlySet<string>): Promise<void> {
  const there = (await readdir(folder)).filter((name) => !name.startsWith(".."));
  await Promise.all(there.filter((name) => !tops.has(name)).map((name) => rm(path.join(folder, name), { force: true })));
  await Promise.all(
    [...tops].filter((name) => !there.includes(name)).map((name) => symlink(path.join(DATA, name), path.join(folder, name))),
  );
}

async function holds(folder: string, files: VolumeFiles): Promise<boolean> {
  const there = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) => entry.isFile());
  if (there.length !== files.size) return false;
  for (const [name, { data }] of files) {
    const known = await readFile(path.join(folder, name)).catch(() => undefined);
    if (known === undefined || !known.equals(data)) return false;
  }
  return true;
}
