import path from "node:path";
import type { Disk } from "./disk.ts";

/** A text that is kept in a file of the folder: the one that is there, or the one that is made now. */
export async function keptText(disk: Disk, folder: string, name: string, make: () => string): Promise<string> {
  if (disk.names(folder).includes(name)) return disk.read(path.join(folder, name)).toString();
  const text = make();
  const unfinished = path.join(folder, `${name}.unfinished`);
  const open = disk.open(unfinished);
  try {
    open.truncate(0);
    open.write(Buffer.from(text), 0);
    await open.sync();
  } finally {
    open.close();
  }
  disk.rename(unfinished, path.join(folder, name));
  await disk.syncFolder(folder);
  return text;
}
