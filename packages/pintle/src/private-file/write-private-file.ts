import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

export interface PrivateFileOptions {
  /** Permission bits, whatever the umask. Default: 0600. */
  readonly mode?: number | undefined;
}

const PRIVATE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;

/**
 * Writes a file with a secret. Missing folders are created for this user only.
 *
 * - The file has mode 0600, also where it existed with another one.
 * - A symbolic link at the path is replaced; its target is not touched.
 * - Readers see the old file or the new one, whole, also after a crash or power cut. A failure leaves the old one.
 *
 * Throws if the path is a folder, device or pipe.
 */
export function writePrivateFile(file: string, content: string | Uint8Array, { mode = PRIVATE_MODE }: PrivateFileOptions = {}): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  assertReplaceable(file);
  const temporary = join(folder, `.${basename(file)}.${randomBytes(6).toString("hex")}`);
  try {
    // With O_EXCL nothing that is there is opened, not even through a link.
    const handle = openSync(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode);
    try {
      fchmodSync(handle, mode);
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** Throws for what a rename would destroy: a device such as /dev/stdout, or a pipe. */
function assertReplaceable(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const target = found?.isSymbolicLink() === true ? statSync(file, { throwIfNoEntry: false }) : found;
  if (target === undefined || target.isFile()) return;
  throw Object.assign(new Error(`${file} is not a regular file`), { code: target.isDirectory() ? "EISDIR" : "ENOTSUP" });
}

/** Makes the new name survive a power cut. Some file systems, and Windows, cannot sync folders. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    closeSync(handle);
  }
}
