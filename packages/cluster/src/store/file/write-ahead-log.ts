import { StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { encodeFileHeader } from "./file-header.ts";
import { encodeFrame } from "./frames.ts";
import type { LogStart } from "./log-records.ts";

/** Append-only log of commits. A write that fails part way is truncated before the next one. */
export interface WriteAheadLog {
  /** Durable length in bytes. */
  size(): number;
  /** Returns once the operating system has the payload. Throws `StoreError` if the write failed; the payload is then not in the log. */
  write(payload: Uint8Array): void;
  /** Resolves when all writes survive a power cut. Throws `StoreError` if the sync failed; the writes are then not in the log. */
  sync(): Promise<void>;
  close(): void | Promise<void>;
}

export interface WriteAheadLogOptions {
  readonly disk: Disk;
  readonly file: string;
  readonly start: LogStart;
  /** A write is durable only once it is synced. */
  readonly fsync: boolean;
}

/** Creates a log. A process never appends to the log of another one, so two of them cannot overwrite each other's commits. */
export function createWriteAheadLog({ disk, file, start, fsync }: WriteAheadLogOptions): WriteAheadLog {
  const header = encodeFileHeader("log");
  const beginning = Buffer.concat([header, encodeFrame(Buffer.from(JSON.stringify(start)), header.length)]);
  const toStoreError = (cause: unknown) =>
    new StoreError(
      "PINTLE6515",
      `the change was not stored: cannot write ${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );

  const open = createFile();
  let durableEnd = beginning.length;
  let writtenEnd = durableEnd;
  /** Bytes of a failed write may follow the durable end. */
  let hasPartialWrite = false;

  const truncatePartialWrite = () => {
    if (!hasPartialWrite) return;
    open.truncate(durableEnd);
    writtenEnd = durableEnd;
    hasPartialWrite = false;
  };
  const failWrite = (cause: unknown): StoreError => {
    hasPartialWrite = true;
    try {
      truncatePartialWrite();
    } catch {
      // The next write tries again.
    }
    return toStoreError(cause);
  };

  return {
    size: () => durableEnd,
    write(payload) {
      try {
        truncatePartialWrite();
        const bytes = encodeFrame(payload, writtenEnd);
        open.write(bytes, writtenEnd);
        writtenEnd += bytes.length;
        if (!fsync) durableEnd = writtenEnd;
      } catch (error) {
        throw failWrite(error);
      }
    },
    async sync() {
      try {
        await open.sync();
        durableEnd = writtenEnd;
      } catch (error) {
        throw failWrite(error);
      }
    },
    close: () => open.close(),
  };

  function createFile() {
    try {
      const created = disk.create(file);
      try {
        created.write(beginning, 0);
        return created;
      } catch (error) {
        created.close();
        disk.remove(file);
        throw error;
      }
    } catch (error) {
      throw toStoreError(error);
    }
  }
}
