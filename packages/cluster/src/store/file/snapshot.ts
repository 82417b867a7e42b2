import { setImmediate } from "node:timers/promises";
import type { LoadedEntry } from "../mvcc/mvcc-store.ts";
import { type StoreEntry, StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { encodeFileHeader, readFileHeader } from "./file-header.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import { TEMPORARY_SUFFIX } from "./generations.ts";
import { type EntryRecord, encodeEntryRecord, parseRecords } from "./log-records.ts";

export interface SnapshotContent {
  readonly revision: number;
  readonly entries: readonly StoreEntry[];
}

/** Size of a chunk, after which the event loop gets to run. */
const CHUNK_CHARACTERS = 256 * 1024;

/**
 * Writes a snapshot atomically: it is synced before it gets its name, because the files it replaces are removed next. Calls `beforeRename`
 * last, which may throw. Returns the size.
 */
export async function writeSnapshot(
  disk: Disk,
  folder: string,
  file: string,
  { revision, entries }: SnapshotContent,
  beforeRename: () => void,
): Promise<number> {
  const unfinished = `${file}${TEMPORARY_SUFFIX}`;
  disk.remove(unfinished);
  const open = disk.create(unfinished);
  let size = 0;
  const add = (bytes: Buffer) => {
    open.write(bytes, size);
    size += bytes.length;
  };
  try {
    add(encodeFileHeader("snapshot"));
    add(encodeFrame(Buffer.from(JSON.stringify({ revision, entries: entries.length })), size));
    for (const chunk of encodeChunks(entries)) {
      add(encodeFrame(Buffer.from(chunk), size));
      await setImmediate();
    }
    await open.sync();
  } finally {
    open.close();
  }
  beforeRename();
  disk.rename(unfinished, file);
  await disk.syncFolder(folder);
  return size;
}

function* encodeChunks(entries: readonly StoreEntry[]): IterableIterator<string> {
  let records: string[] = [];
  let length = 0;
  for (const entry of entries) {
    const line = encodeEntryRecord(entry);
    records.push(line);
    length += line.length;
    if (length < CHUNK_CHARACTERS) continue;
    yield records.join("\n");
    records = [];
    length = 0;
  }
  if (records.length > 0) yield records.join("\n");
}

export function readSnapshot(bytes: Buffer, file: string): { readonly revision: number; readonly entries: readonly LoadedEntry[] } {
  const { payloads, end, tail } = readFrames(bytes, readFileHeader(bytes, "snapshot", file)?.end ?? 0);
  const damagedFileError = () => new StoreError("PINTLE6512", `${file} is damaged at byte ${end}. Restore the folder from a backup`);
  const [first, ...others] = payloads;
  if (first === undefined || tail !== "nothing") throw damagedFileError();
  const { revision, entries: count } = JSON.parse(first.toString()) as { revision: number; entries: number };
  const entries: LoadedEntry[] = [];
  for (const payload of others) {
    for (const line of parseRecords(payload)) {
      const [at, key, value] = line as EntryRecord;
      entries.push({ key, value, revision: at });
    }
  }
  if (entries.length !== count) throw damagedFileError();
  return { revision, entries };
}
