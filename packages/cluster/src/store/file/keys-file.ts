import { createHash } from "node:crypto";
import path from "node:path";
import { StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { TEMPORARY_SUFFIX } from "./generations.ts";

export const KEYS_FILE = "keys.pem";

/** Begins the last line of the file. PEM readers ignore text between blocks. */
const CHECKSUM_MARK = "# sha256 ";

/**
 * Returns the keys in the folder, created with `make()` if there are none. The file appears under its name only when it is complete. Files
 * of earlier versions have no checksum. Throws `StoreError` if the checksum does not match: new keys would invalidate every credential.
 */
export async function loadOrCreateKeys(disk: Disk, folder: string, make: () => string): Promise<string> {
  const file = path.join(folder, KEYS_FILE);
  if (disk.listFiles(folder).includes(KEYS_FILE)) return verifyChecksum(disk.read(file).toString(), file);
  const text = make();
  const unfinished = `${file}${TEMPORARY_SUFFIX}`;
  disk.remove(unfinished);
  const open = disk.create(unfinished);
  try {
    open.write(Buffer.from(appendChecksum(text)), 0);
    await open.sync();
  } finally {
    open.close();
  }
  disk.rename(unfinished, file);
  await disk.syncFolder(folder);
  return text;
}

function verifyChecksum(content: string, file: string): string {
  const end = content.indexOf(CHECKSUM_MARK);
  if (end === -1) return content;
  const text = content.slice(0, end);
  if (appendChecksum(text) === content) return text;
  throw new StoreError("PINTLE6502", `${file} is damaged: its checksum does not match. ${adviseOnKeys(file)}`);
}

/** The end of an error message about keys that cannot be used. */
export function adviseOnKeys(location: string): string {
  return `Restore it from a backup, or delete ${location} to create new keys: objects stay, but every kubeconfig, client certificate and service account token of the cluster becomes invalid`;
}

function appendChecksum(text: string): string {
  return `${text}${CHECKSUM_MARK}${createHash("sha256").update(text).digest("hex")}\n`;
}
