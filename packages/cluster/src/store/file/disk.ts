import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type FolderLock, lockFolder } from "../../folder-lock/index.ts";

/** File system operations of the file store; tests substitute a simulated disk. */
export interface Disk {
  /** Creates the folder and its parents, readable by this user only. */
  makeFolder(folder: string): void;
  /** Locks the folder for this process. */
  lock(folder: string): Promise<FolderLock>;
  listFiles(folder: string): readonly string[];
  /** Only this user can read the file afterwards. Throws for a symbolic link. */
  read(file: string): Buffer;
  /** Opens an existing file. Only this user can read it afterwards. Throws for a symbolic link. */
  open(file: string): OpenFile;
  /** Creates a file, readable by this user only. Throws if it exists. */
  create(file: string): OpenFile;
  rename(from: string, to: string): void;
  remove(file: string): void;
  /** Resolves when the names of the folder's files survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

export interface OpenFile {
  /** Returns the first bytes, at most `length`. */
  readStart(length: number): Buffer;
  /** Writes all bytes synchronously; the operating system has them when it returns. */
  write(bytes: Uint8Array, position: number): void;
  truncate(length: number): void;
  /** Resolves when all writes survive a power cut. */
  sync(): Promise<void>;
  /** Whether the file still has a name: not if it was removed, or another file renamed to its name. */
  hasName(): boolean;
  close(): void;
}

const PRIVATE_MODE = 0o600;

/** Opens an existing file. A copy of the folder may have left it readable by others. */
function openPrivate(file: string, flags: number): number {
  // Windows has no O_NOFOLLOW.
  const handle = openSync(file, flags | (constants.O_NOFOLLOW ?? 0));
  fchmodSync(handle, PRIVATE_MODE);
  return handle;
}

export const localDisk: Disk = {
  makeFolder: (folder) => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  lock: lockFolder,
  listFiles: (folder) => readdirSync(folder),
  read(file) {
    const handle = openPrivate(file, constants.O_RDONLY);
    try {
      return readFileSync(handle);
    } finally {
      closeSync(handle);
    }
  },
  open: (file) => wrapHandle(openPrivate(file, constants.O_RDWR)),
  create: (file) => wrapHandle(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, PRIVATE_MODE)),
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  async syncFolder(folder) {
    // Windows cannot open folders, and does not need the sync.
    if (process.platform === "win32") return;
    const handle = openSync(path.resolve(folder), "r");
    try {
      await syncAll(handle);
    } finally {
      closeSync(handle);
    }
  },
};

function wrapHandle(handle: number): OpenFile {
  return {
    readStart(length) {
      const bytes = Buffer.alloc(length);
      let done = 0;
      for (let count = 1; count > 0 && done < length; done += count) count = readSync(handle, bytes, done, length - done, done);
      return bytes.subarray(0, done);
    },
    write(bytes, position) {
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, position + done);
    },
    truncate: (length) => ftruncateSync(handle, length),
    sync: () => syncData(handle),
    hasName: () => fstatSync(handle).nlink > 0,
    close: () => closeSync(handle),
  };
}

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);
