import path from "node:path";
import type { Disk } from "./disk.ts";
import { fileOf, generationsIn } from "./generations.ts";
import { type Journal, journal } from "./journal.ts";
import { type Snapshot, writeSnapshot } from "./snapshot.ts";

/** The log that is being written, and the snapshots that keep logs short. */
export interface Volume extends Journal {
  /** To be called when what was written has taken effect: makes a snapshot beside the writing, when the log has grown long. */
  tidy(): Promise<void> | undefined;
}

export interface VolumeOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly fsync: boolean;
  readonly compactAt: number;
  /** Where to go on, and how much a snapshot would replace. */
  readonly generation: number;
  readonly end: number;
  readonly olderLogs: number;
  readonly snapshotSize: number;
  /** What has taken effect. */
  state(): Snapshot;
}

export async function volume(options: VolumeOptions): Promise<Volume> {
  const { disk, folder, fsync, compactAt, state } = options;
  let { generation, olderLogs, snapshotSize } = options;
  let log = await openLog(generation, options.end);
  let attemptAt = 0;
  let settling: Promise<void> | undefined;

  /** Commits go to a new log from here on. Without fsync this happens before anything is waited for. */
  const turn = async (length: number): Promise<void> => {
    attemptAt = length + compactAt;
    let next: Journal;
    try {
      next = fsync ? await openLog(generation + 1, 0) : newLog(generation + 1, 0);
    } catch {
      // The log grows on; later there may be room.
      return;
    }
    log.close();
    log = next;
    generation++;
    olderLogs = length;
    settling = settle(generation, state()).finally(() => {
      settling = undefined;
    });
  };

  const settle = async (since: number, snapshot: Snapshot): Promise<void> => {
    try {
      snapshotSize = await writeSnapshot(disk, folder, fileOf(folder, since, "snapshot"), snapshot);
      olderLogs = 0;
      attemptAt = 0;
      const { logs, snapshots } = generationsIn(disk.names(folder));
      for (const each of logs) if (each < since) disk.remove(fileOf(folder, each, "log"));
      for (const each of snapshots) if (each < since) disk.remove(fileOf(folder, each, "snapshot"));
    } catch {
      // Nothing is lost without it: the logs say the same.
    }
  };

  return {
    size: () => olderLogs + log.size(),
    write: (payload) => log.write(payload),
    sync: () => log.sync(),
    tidy() {
      const length = olderLogs + log.size();
      const due = settling === undefined && length > Math.max(compactAt, 2 * snapshotSize, attemptAt);
      return due ? turn(length) : undefined;
    },
    async close() {
      await settling;
      await log.close();
    },
  };

  function newLog(number: number, end: number): Journal {
    return journal({ disk, file: fileOf(folder, number, "log"), end, fsync });
  }

  /** With fsync, what is there already survives a power cut from here on, and so do the names of the file and its folder. */
  async function openLog(number: number, end: number): Promise<Journal> {
    const opened = newLog(number, end);
    if (!fsync) return opened;
    try {
      await opened.sync();
      await disk.syncFolder(folder);
      await disk.syncFolder(path.dirname(folder));
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}
