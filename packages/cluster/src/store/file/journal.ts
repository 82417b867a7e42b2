import { StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { frame } from "./frames.ts";
import { heading } from "./heading.ts";

/** The log that commits go to. What could not be written whole is taken back before anything else is written. */
export interface Journal {
  /** Bytes that are safe. */
  size(): number;
  /** The operating system has it when this returns. Throws StoreError: then it is not in the log. */
  write(payload: Uint8Array): void;
  /** Resolves when what was written survives a power cut. Throws StoreError: then it is not in the log. */
  sync(): Promise<void>;
  close(): void | Promise<void>;
}

export interface JournalOptions {
  readonly disk: Disk;
  readonly file: string;
  /** Where to go on; 0 for a new file. */
  readonly end: number;
  /** What is written counts only when it is synced. */
  readonly fsync: boolean;
}

export function journal({ disk, file, end, fsync }: JournalOptions): Journal {
  const open = disk.open(file);
  let safe = end;
  let written = end;
  /** Behind what is safe there may be something. */
  let spoiled = true;

  const clear = () => {
    if (!spoiled) return;
    open.truncate(safe);
    written = safe;
    spoiled = false;
  };
  const failed = (cause: unknown): StoreError => {
    spoiled = true;
    try {
      clear();
    } catch {
      // The next write tries again.
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    return new StoreError(`nothing was stored, as ${file} could not be written: ${why}`, { cause });
  };

  try {
    clear();
    if (end === 0) {
      const first = heading("log");
      open.write(first, 0);
      safe = first.length;
      written = safe;
    }
  } catch (error) {
    const reason = failed(error);
    open.close();
    throw reason;
  }

  return {
    size: () => safe,
    write(payload) {
      try {
        clear();
        const bytes = frame(payload, written);
        open.write(bytes, written);
        written += bytes.length;
        if (!fsync) safe = written;
      } catch (error) {
        throw failed(error);
      }
    },
    async sync() {
      try {
        await open.sync();
        safe = written;
      } catch (error) {
        throw failed(error);
      }
    },
    close: () => open.close(),
  };
}
