import path from "node:path";
import { type Ledger, ledger } from "../ledger.ts";
import { StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { type Frames, readFrames } from "./frames.ts";
import { fileOf, generationsIn, UNFINISHED } from "./generations.ts";
import { contentOf, type FileType } from "./heading.ts";
import { type Commit, lines } from "./records.ts";
import { readSnapshot } from "./snapshot.ts";

export interface Recovered {
  readonly ledger: Ledger;
  /** The log to go on with, and where in it. */
  readonly generation: number;
  readonly end: number;
  /** Logs that a snapshot would replace, without the last. */
  readonly olderLogs: number;
  readonly snapshotSize: number;
}

/** What a folder holds: its last snapshot, and what the logs since then say. Throws StoreError rather than lose any of it. */
export async function recover(disk: Disk, folder: string, history: number | undefined): Promise<Recovered> {
  const names = disk.names(folder);
  const { logs, snapshots } = generationsIn(names);
  const newest = snapshots.at(-1) ?? 1;
  const needed = logs.filter((generation) => generation >= newest);
  checkComplete(folder, newest, needed, snapshots.length > 0);

  const snapshotFile = fileOf(folder, newest, "snapshot");
  const bytes = snapshots.length === 0 ? undefined : disk.read(snapshotFile);
  const kept = ledger({ history, ...(bytes && readSnapshot(bytes, snapshotFile)) });

  let end = 0;
  let olderLogs = 0;
  let torn: { readonly file: string; readonly at: number } | undefined;
  for (const generation of needed) {
    olderLogs += end;
    const file = fileOf(folder, generation, "log");
    const log = readLog(disk.read(file), file);
    if (torn !== undefined && log.payloads.length > 0) throw damaged(torn.file, torn.at);
    replay(kept, log, file);
    if (log.rest === "torn") torn = { file, at: log.end };
    end = log.end;
  }
  if (torn !== undefined) await cut(disk, torn.file, torn.at);
  for (const name of names) if (isLeftOver(name, newest)) disk.remove(path.join(folder, name));
  return { ledger: kept, generation: needed.at(-1) ?? newest, end, olderLogs, snapshotSize: bytes?.length ?? 0 };
}

/** A log comes before the snapshot of its generation, and they go in order: where one is missing, somebody took it. */
function checkComplete(folder: string, first: number, logs: readonly number[], hasSnapshot: boolean): void {
  const missing = (generation: number, type: FileType) =>
    new StoreError(`${fileOf(folder, generation, type)} is missing. Restore the folder from a copy`);
  if (!hasSnapshot && logs.length > 0 && logs[0] !== 1) throw missing(logs[0] as number, "snapshot");
  if (hasSnapshot && logs.length === 0) throw missing(first, "log");
  const index = logs.findIndex((generation, at) => generation !== first + at);
  if (index !== -1) throw missing(first + index, "log");
}

function readLog(bytes: Buffer, file: string): Frames {
  const start = contentOf(bytes, "log", file);
  if (start === 0) return { payloads: [], end: 0, rest: "torn" };
  const frames = readFrames(bytes, start);
  if (frames.rest === "damaged") throw damaged(file, frames.end);
  return frames;
}

function replay(kept: Ledger, { payloads }: Frames, file: string): void {
  for (const payload of payloads) {
    for (const line of lines(payload)) {
      const [type, revision, key, value] = line as Commit;
      const done = revision === kept.revision() + 1 && (type === "put" ? kept.put(key, value, revision) : kept.delete(key, revision));
      if (done) continue;
      const expected = kept.revision() + 1;
      throw new StoreError(`${file} is damaged: it goes on with revision ${revision} of ${key} where ${expected} was due`);
    }
  }
}

/** Or it would stand in the middle once something is written behind it. */
async function cut(disk: Disk, file: string, end: number): Promise<void> {
  const open = disk.open(file);
  try {
    open.truncate(end);
    await open.sync();
  } finally {
    open.close();
  }
}

function damaged(file: string, at: number): StoreError {
  return new StoreError(
    `${file} is damaged at byte ${at}: what was stored from there on cannot be read. Restore the folder from a copy, or cut the file off at that byte to go on without`,
  );
}

/** Files that a crash kept from being removed. */
function isLeftOver(name: string, newest: number): boolean {
  const [, digits, ending] = /^(\d{8,})\.(.+)$/.exec(name) ?? [];
  if (digits === undefined) return false;
  return ending === `snapshot${UNFINISHED}` || ((ending === "log" || ending === "snapshot") && Number(digits) < newest);
}
