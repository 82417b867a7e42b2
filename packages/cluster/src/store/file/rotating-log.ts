import path from "node:path";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { Disk } from "./disk.ts";
import { getGenerationFile, listGenerations } from "./generations.ts";
import type { PreviousLog } from "./log-records.ts";
import { type SnapshotContent, writeSnapshot } from "./snapshot.ts";
import { createWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

/** The write-ahead log, rotated and compacted into snapshots when it grows long. */
export interface RotatingLog extends WriteAheadLog {
  /** Called after a commit is applied; rotates the log and writes a snapshot in the background when the log is long enough. */
  compactIfNeeded(): Promise<void> | undefined;
}

export interface RotatingLogOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly fsync: boolean;
  readonly compactAt: number;
  /** Generation of the log to create, and the log before it. */
  readonly generation: number;
  readonly previous: PreviousLog | undefined;
  /** Number and size of the logs that a snapshot would replace. */
  readonly olderLogs: number;
  readonly olderLogBytes: number;
  readonly snapshotBytes: number;
  /** Returns the applied state. */
  state(): SnapshotContent;
  /** Throws when another process writes to the folder. */
  checkNotReplaced(): void;
}

/** Every start of a process adds a log; so many make a snapshot worth while, however short they are. */
const MAX_LOGS = 16;

export async function openRotatingLog(options: RotatingLogOptions): Promise<RotatingLog> {
  const { disk, folder, fsync, compactAt, state, checkNotReplaced } = options;
  let { generation, olderLogs, olderLogBytes, snapshotBytes } = options;
  let log = await openLog(generation, options.previous);
  let retryAtBytes = 0;
  let compaction: Promise<void> | undefined;

  /** Switches commits to a new log. Without fsync the switch happens synchronously. */
  const rotate = async (length: number): Promise<void> => {
    retryAtBytes = length + compactAt;
    const previous = { generation, end: log.size(), revision: state().revision };
    let next: WriteAheadLog;
    try {
      next = fsync ? await openLog(generation + 1, previous) : createLog(generation + 1, previous);
    } catch {
      // Keep appending to the current log; a later attempt may find free disk space.
      return;
    }
    // Its commits are on disk, or in the operating system without fsync: a failed close loses nothing.
    const rotated = log;
    runInBackground((async () => rotated.close())(), ignoreError);
    log = next;
    generation++;
    olderLogs++;
    olderLogBytes = length;
    compaction = writeSnapshotAndClean(generation).finally(() => {
      compaction = undefined;
    });
  };

  const writeSnapshotAndClean = async (since: number): Promise<void> => {
    try {
      const snapshot = state();
      snapshotBytes = await writeSnapshot(disk, folder, getGenerationFile(folder, since, "snapshot"), snapshot, checkNotReplaced);
      olderLogs = 0;
      olderLogBytes = 0;
      retryAtBytes = 0;
      const { logs, snapshots } = listGenerations(disk.listFiles(folder));
      for (const each of logs) if (each < since) disk.remove(getGenerationFile(folder, each, "log"));
      for (const each of snapshots) if (each < since) disk.remove(getGenerationFile(folder, each, "snapshot"));
    } catch {
      // Without the snapshot nothing is lost: the logs hold the same commits.
    }
  };

  return {
    size: () => olderLogBytes + log.size(),
    write: (payload) => log.write(payload),
    sync: () => log.sync(),
    compactIfNeeded() {
      if (compaction !== undefined) return undefined;
      const length = olderLogBytes + log.size();
      const isLong = length > Math.max(compactAt, 2 * snapshotBytes) || olderLogs >= MAX_LOGS;
      return isLong && length > retryAtBytes ? rotate(length) : undefined;
    },
    async close() {
      await compaction;
      await log.close();
    },
  };

  function createLog(number: number, previous: PreviousLog | undefined): WriteAheadLog {
    const start = { revision: state().revision, previous };
    return createWriteAheadLog({ disk, file: getGenerationFile(folder, number, "log"), start, fsync });
  }

  /** With fsync, also syncs the file, its name and its folder's name. */
  async function openLog(number: number, previous: PreviousLog | undefined): Promise<WriteAheadLog> {
    const opened = createLog(number, previous);
    if (!fsync) return opened;
    try {
      await opened.sync();
      await disk.syncFolder(folder);
      await disk.syncFolder(path.dirname(folder));
      return opened;
    } catch (error) {
      await opened.close();
      disk.remove(getGenerationFile(folder, number, "log"));
      throw error;
    }
  }
}
