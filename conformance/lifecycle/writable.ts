import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";

/** The module cache is read-only, and so is a copy of it, which could not be changed or removed. */
export async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
    else if (entry.isFile()) await chmod(join(folder, entry.name), 0o644);
  }
}
