import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

export interface VolumeFile {
  readonly data: Buffer;
  readonly mode: number;
}
/** By path in the volume. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

const DATA_LINK = "..data";

/** Writes all files of a volume atomically: readers see the old or the new ones, never a mixture. Returns whether anything changed. */
export async function writeAtomically(folder: string, files: VolumeFiles): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const before = await readlink(path.join(folder, DATA_LINK)).catch(() => undefined);
  if (before !== undefined && (await hasSameContent(path.join(folder, before), files))) return false;
  const version = await mkdtemp(path.join(folder, "..version-"));
  // The container's user must be able to read it.
  await chmod(version, 0o755);
  for (const [name, { data, mode }] of files) {
    const file = path.join(version, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, data, { mode });
  }
  const link = path.join(folder, `${DATA_LINK}_tmp`);
  await rm(link, { force: true });
  await symlink(path.basename(version), link);
  await rename(link, path.join(folder, DATA_LINK));
  await linkTopLevelEntries(folder, new Set([...files.keys()].map((name) => name.split("/")[0]!)));
  if (before !== undefined) await rm(path.join(folder, before), { recursive: true, force: true });
  return true;
}

/** Readers open links through `..data`. */
async function linkTopLevelEntries(folder: string, tops: ReadonlySet<string>): Promise<void> {
  const entries = (await readdir(folder)).filter((name) => !name.startsWith(".."));
  await Promise.all(entries.filter((name) => !tops.has(name)).map((name) => rm(path.join(folder, name), { force: true })));
  await Promise.all(
    [...tops].filter((name) => !entries.includes(name)).map((name) => symlink(path.join(DATA_LINK, name), path.join(folder, name))),
  );
}

async function hasSameContent(folder: string, files: VolumeFiles): Promise<boolean> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) => entry.isFile());
  if (entries.length !== files.size) return false;
  for (const [name, { data }] of files) {
    const content = await readFile(path.join(folder, name)).catch(() => undefined);
    if (content === undefined || !content.equals(data)) return false;
  }
  return true;
}
