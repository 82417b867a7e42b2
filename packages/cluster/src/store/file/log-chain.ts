import { StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { readFileHeader, type StoreFileType } from "./file-header.ts";
import { readFrames } from "./frames.ts";
import { getGenerationFile, listGenerations } from "./generations.ts";
import type { LogStart } from "./log-records.ts";

/** A log whose commits are part of the store. */
export interface LogLink {
  readonly generation: number;
  readonly file: string;
  readonly byteLength: number;
  /** Absent in format 1. */
  readonly start: LogStart | undefined;
  /** Offset of the first commit. */
  readonly contentStart: number;
  /** Where the next log says that it ended; undefined for the last one, and before logs of format 1. */
  readonly end: number | undefined;
  readonly hasCommits: boolean;
}

export interface StoreFiles {
  /** Generation of the last snapshot. */
  readonly snapshot: number | undefined;
  /** The logs after it, oldest first. */
  readonly logs: readonly LogLink[];
  readonly nextGeneration: number;
}

/**
 * Finds the logs that continue the last snapshot: from the last log back, each names the one before it. Logs that no later one names are
 * not part of the store: a process ended while creating them, or their commits were given up. Throws `StoreError` if one is missing.
 */
export function findLogs(disk: Disk, folder: string, names: readonly string[]): StoreFiles {
  const { logs: all, snapshots } = listGenerations(names);
  const snapshot = snapshots.at(-1);
  const candidates = all.filter((generation) => generation >= (snapshot ?? 1));
  const missingFileError = (generation: number, type: StoreFileType) =>
    new StoreError("PINTLE6513", `${getGenerationFile(folder, generation, type)} is missing. Restore the folder from a backup`);
  if (snapshot !== undefined && candidates.length === 0) throw missingFileError(snapshot, "log");

  const logs: LogLink[] = [];
  let next = candidates.findLast((generation) => readLogLink(disk, folder, generation) !== undefined);
  let end: number | undefined;
  while (next !== undefined) {
    const generation: number = next;
    if (!candidates.includes(generation))
      throw snapshot === undefined ? missingFileError(generation + 1, "snapshot") : missingFileError(generation, "log");
    const link = readLogLink(disk, folder, generation, end);
    // A log of format 1 that was never written to.
    if (link !== undefined) logs.unshift(link);
    const isFirst = generation === (snapshot ?? 1) || (snapshot === undefined && link?.start !== undefined && !link.start.previous);
    const previous = link?.start?.previous;
    next = isFirst ? undefined : (previous?.generation ?? generation - 1);
    end = previous?.end;
  }
  return { snapshot, logs, nextGeneration: (all.at(-1) ?? (snapshot ?? 1) - 1) + 1 };
}

/** Reads the beginning of a log; undefined if its process ended before it was complete. */
function readLogLink(disk: Disk, folder: string, generation: number, end?: number): LogLink | undefined {
  const file = getGenerationFile(folder, generation, "log");
  const bytes = disk.read(file);
  const header = readFileHeader(bytes, "log", file);
  if (header === undefined) return undefined;
  const base = { generation, file, byteLength: bytes.length, end };
  const hasCommits = (contentStart: number) => readFrames(bytes, contentStart, 1).payloads.length > 0;
  if (header.version === 1) return { ...base, start: undefined, contentStart: header.end, hasCommits: hasCommits(header.end) };
  const { payloads, end: contentStart, tail } = readFrames(bytes, header.end, 1);
  const [first] = payloads;
  if (first === undefined) {
    if (tail !== "damaged") return undefined;
    throw new StoreError("PINTLE6512", `${file} is damaged at byte ${header.end}. Restore the folder from a backup`);
  }
  const start = JSON.parse(first.toString()) as LogStart;
  return { ...base, start, contentStart, hasCommits: hasCommits(contentStart) };
}
