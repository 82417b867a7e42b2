import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { lock } from "./lock.ts";

/** What the file store asks of a file system; tests put another in its place. */
export interface Disk {
  /** With those above it, for nobody else to read. */
  makeFolder(folder: string): void;
  /** Keeps the folder for this process, until the answer is called. Throws StoreError when another one has it. */
  lock(folder: string): () => void;
  names(folder: string): readonly string[];
  read(file: string): Buffer;
  /** Made if missing, for nobody else to read; what it holds stays. */
  open(file: string): OpenFile;
  rename(from: string, to: string): void;
  remove(file: string): void;
  /** Resolves when names of files in the folder survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

export interface OpenFile {
  /** All of it, at once: when it returns, the operating system has it. */
  write(bytes: Uint8Array, position: number): void;
  truncate(length: number): void;
  /** Resolves when what was written survives a power cut. */
  sync(): Promise<void>;
  close(): void;
}

export const localDisk: Disk = {
  makeFolder: (folder) => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  lock,
  names: (folder) => readdirSync(folder),
  read: (file) => readFileSync(file),
  open(file) {
    const handle = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    return {
      write(bytes, position) {
        for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, position + done);
      },
      truncate: (length) => ftruncateSync(handle, length),
      sync: () => syncData(handle),
      close: () => closeSync(handle),
    };
  },
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  async syncFolder(folder) {
    // Windows has no handles of folders, and no need of this.
    if (process.platform === "win32") return;
    const handle = openSync(path.resolve(folder), "r");
    try {
      await syncAll(handle);
    } finally {
      closeSync(handle);
    }
  },
};

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);
