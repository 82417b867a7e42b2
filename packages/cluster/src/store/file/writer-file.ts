import { randomBytes } from "node:crypto";
import path from "node:path";
import { StoreError } from "../store.ts";
import { adviseOnDataLoss } from "./data-loss-advice.ts";
import type { Disk, OpenFile } from "./disk.ts";
import { encodeFileHeader, readFileHeader } from "./file-header.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import { TEMPORARY_SUFFIX } from "./generations.ts";

/**
 * The file of the process that writes to a folder. It holds the last acknowledged revision, so that a log that lost its end is noticed. And
 * it is the fence between two writers, should the lock fail them: each one replaces the file by its own, and a process whose file was
 * replaced must not acknowledge anything.
 *
 * A commit is written to the log before `checkNotReplaced`, and a new writer replaces the file before it reads the log. So whatever the old
 * writer acknowledges, the new one reads.
 */
export interface WriterFile {
  /** The revision that the previous writer acknowledged; undefined when that is not known. */
  readonly acknowledgedBefore: number | undefined;
  /** Throws `StoreError` if another process writes to the folder now. */
  checkNotReplaced(): void;
  /** Records a revision. With fsync it is synced in the background, after the log. Does not throw: the log holds more than this file. */
  acknowledge(revision: number): void;
  close(): Promise<void>;
}

export interface WriterFileOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly fsync: boolean;
  /** Continue with a damaged file. */
  readonly acceptDataLoss: boolean;
}

export const WRITER_FILE = "writer";
/** The file has two slots, written in turn, so that a write that is cut short leaves the other one. */
const SLOT_BYTES = 512;

/** Makes this process the writer of a folder. Throws `StoreError` if the file of the previous writer is damaged. */
export async function replaceWriterFile({ disk, folder, fsync, acceptDataLoss }: WriterFileOptions): Promise<WriterFile> {
  const names = disk.listFiles(folder);
  const file = path.join(folder, WRITER_FILE);
  const previous = names.includes(WRITER_FILE) ? disk.open(file) : undefined;
  const readPrevious = () => previous && readRevision(previous, file, acceptDataLoss);
  let own: OpenFile | undefined;
  try {
    const before = readPrevious();
    const unfinished = path.join(folder, `${WRITER_FILE}-${randomBytes(4).toString("hex")}${TEMPORARY_SUFFIX}`);
    own = disk.create(unfinished);
    const slot = encodeSlot(before ?? 0);
    own.write(Buffer.concat([slot, Buffer.alloc(SLOT_BYTES - slot.length), slot]), 0);
    await own.sync();
    disk.rename(unfinished, file);
    // Again: the previous writer may have acknowledged revisions until it was replaced.
    return createWriterFile(own, folder, fsync, readPrevious());
  } catch (error) {
    own?.close();
    throw error;
  } finally {
    previous?.close();
    for (const name of names) if (isUnfinishedWriterFile(name)) disk.remove(path.join(folder, name));
  }
}

function createWriterFile(own: OpenFile, folder: string, fsync: boolean, acknowledgedBefore: number | undefined): WriterFile {
  let slot = 0;
  let isSynced = true;
  let syncing: Promise<void> | undefined;
  const syncAll = async () => {
    while (!isSynced) {
      isSynced = true;
      await own.sync();
    }
  };
  return {
    acknowledgedBefore,
    checkNotReplaced() {
      if (own.hasName()) return;
      throw new StoreError(
        "PINTLE6517",
        `${folder} was taken over by another process, so this one stops writing to it, and whether the last change was stored is unknown. Stop one of them`,
      );
    },
    acknowledge(revision) {
      try {
        own.write(encodeSlot(revision), slot * SLOT_BYTES);
        slot = 1 - slot;
      } catch {
        return;
      }
      isSynced = false;
      if (!fsync) return;
      syncing ??= syncAll()
        .catch(() => {})
        .finally(() => {
          syncing = undefined;
        });
    },
    async close() {
      await syncing;
      own.close();
    },
  };
}

/** All slots have the same length, so that nothing of a longer one remains. */
function encodeSlot(revision: number): Buffer {
  const header = encodeFileHeader("writer");
  const record = Buffer.from(JSON.stringify({ acknowledged: revision }).padEnd(48));
  return Buffer.concat([header, encodeFrame(record, header.length)]);
}

function readRevision(open: OpenFile, file: string, acceptDamage: boolean): number | undefined {
  const bytes = open.readStart(2 * SLOT_BYTES);
  const slots = [bytes.subarray(0, SLOT_BYTES), bytes.subarray(SLOT_BYTES)].map((slot) => readSlot(slot, file));
  const intact = slots.filter((revision) => revision !== undefined);
  if (intact.length > 0) return Math.max(...intact);
  if (acceptDamage) return undefined;
  throw new StoreError(
    "PINTLE6512",
    `${file} is damaged: it says which revisions were acknowledged. ${adviseOnDataLoss(path.dirname(file), "knowing whether all are there")}`,
  );
}

/** Returns the revision in a slot; undefined if it is damaged. Throws `StoreError` for another format. */
function readSlot(bytes: Buffer, file: string): number | undefined {
  try {
    const header = readFileHeader(bytes, "writer", file);
    const [payload] = header === undefined ? [] : readFrames(bytes, header.end, 1).payloads;
    return payload && (JSON.parse(payload.toString()) as { readonly acknowledged: number }).acknowledged;
  } catch (error) {
    if (error instanceof StoreError && error.code === "PINTLE6512") return undefined;
    throw error;
  }
}

function isUnfinishedWriterFile(name: string): boolean {
  return name.startsWith(`${WRITER_FILE}-`) && name.endsWith(TEMPORARY_SUFFIX);
}
