import { setImmediate } from "node:timers/promises";
import type { Loaded } from "../ledger.ts";
import { type Entry, StoreError } from "../store.ts";
import type { Disk } from "./disk.ts";
import { frame, readFrames } from "./frames.ts";
import { UNFINISHED } from "./generations.ts";
import { contentOf, heading } from "./heading.ts";
import { type EntryLine, entryLine, lines } from "./records.ts";

export interface Snapshot {
  readonly revision: number;
  readonly entries: readonly Entry[];
}

/** Others get their turn after so many characters. */
const CHUNK = 256 * 1024;

/**
 * Writes a whole snapshot under its name, or nothing: it is on the disk before it gets its name, as what it replaces is
 * removed next. Returns its size.
 */
export async function writeSnapshot(disk: Disk, folder: string, file: string, { revision, entries }: Snapshot): Promise<number> {
  const unfinished = `${file}${UNFINISHED}`;
  const open = disk.open(unfinished);
  let size = 0;
  const add = (bytes: Buffer) => {
    open.write(bytes, size);
    size += bytes.length;
  };
  try {
    open.truncate(0);
    add(heading("snapshot"));
    add(frame(Buffer.from(JSON.stringify({ revision, entries: entries.length })), size));
    for (const chunk of chunks(entries)) {
      add(frame(Buffer.from(chunk), size));
      await setImmediate();
    }
    await open.sync();
  } finally {
    open.close();
  }
  disk.rename(unfinished, file);
  await disk.syncFolder(folder);
  return size;
}

function* chunks(entries: readonly Entry[]): IterableIterator<string> {
  let gathered: string[] = [];
  let length = 0;
  for (const entry of entries) {
    const line = entryLine(entry);
    gathered.push(line);
    length += line.length;
    if (length < CHUNK) continue;
    yield gathered.join("\n");
    gathered = [];
    length = 0;
  }
  if (gathered.length > 0) yield gathered.join("\n");
}

export function readSnapshot(bytes: Buffer, file: string): { readonly revision: number; readonly entries: readonly Loaded[] } {
  const start = contentOf(bytes, "snapshot", file);
  const { payloads, end, rest } = readFrames(bytes, start);
  const damaged = () => new StoreError(`${file} is damaged at byte ${end}. Restore the folder from a copy`);
  const [first, ...others] = payloads;
  if (first === undefined || rest !== "nothing") throw damaged();
  const { revision, entries: count } = JSON.parse(first.toString()) as { revision: number; entries: number };
  const entries: Loaded[] = [];
  for (const payload of others) {
    for (const line of lines(payload)) {
      const [at, key, value] = line as EntryLine;
      entries.push({ key, value, revision: at });
    }
  }
  if (entries.length !== count) throw damaged();
  return { revision, entries };
}
