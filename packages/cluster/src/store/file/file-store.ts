import { runInBackground } from "pintle/internal/errors";
import type { MvccStore } from "../mvcc/mvcc-store.ts";
import { type ObjectStore, type StoreChange, StoreError, type TxnCommitted, type TxnConflict } from "../store.ts";
import { type Disk, localDisk } from "./disk.ts";
import { encodeDeleteRecord, encodePutRecord } from "./log-records.ts";
import { recoverStore } from "./recover.ts";
import { openRotatingLog, type RotatingLog } from "./rotating-log.ts";
import { replaceWriterFile, type WriterFile } from "./writer-file.ts";

export interface FileStoreOptions {
  readonly folder: string;
  /**
   * Resolve a commit only when it survives a power cut; concurrent commits share one fsync (group commit). Without it a commit survives
   * the end of the process, because the operating system has it. Default: false.
   */
  readonly fsync?: boolean | undefined;
  /** Number of past commits retained for watches to resume from. Default: 20,000. */
  readonly history?: number | undefined;
  /** Log size in bytes that triggers a snapshot, once the log is also twice as long as the last snapshot. Default: 16 MiB. */
  readonly compactAt?: number | undefined;
  /**
   * Continue when commits cannot be read or acknowledged ones are missing. Their revisions are not used again, so clients that saw them
   * must list again. Default: false, the store does not open.
   */
  readonly acceptDataLoss?: boolean | undefined;
  /** Called with one line if the end of the log was dropped: a write that a crash cut short, or what `acceptDataLoss` gave up. */
  readonly onDataLoss?: ((report: string) => void) | undefined;
  readonly disk?: Disk | undefined;
}

const DEFAULT_COMPACT_AT_BYTES = 16 * 1024 * 1024;

/**
 * Opens a store in a folder. All state is in memory; every commit is in a write-ahead log before readers and watchers see it. The state
 * is recovered from the last snapshot and the logs after it. Throws `StoreError` when the folder is in use, cannot be written, is damaged,
 * or lacks acknowledged commits.
 */
export async function openFileStore(options: FileStoreOptions): Promise<ObjectStore> {
  const { folder, fsync = false, compactAt = DEFAULT_COMPACT_AT_BYTES, disk = localDisk, history, acceptDataLoss = false } = options;
  const release = await lockStoreFolder(disk, folder);
  let writerFile: WriterFile | undefined;
  try {
    writerFile = await replaceWriterFile({ disk, folder, fsync, acceptDataLoss });
    const { acknowledgedBefore: acknowledged, checkNotReplaced } = writerFile;
    const { mvcc, lossReport, ...found } = recoverStore({ disk, folder, history, acknowledged, acceptDataLoss });
    const state = () => ({ revision: mvcc.revision(), entries: mvcc.allEntries() });
    const log = await openRotatingLog({ disk, folder, fsync, compactAt, ...found, state, checkNotReplaced });
    writerFile.acknowledge(mvcc.revision());
    if (lossReport !== undefined) options.onDataLoss?.(lossReport);
    const writer = createWriter(mvcc, log, writerFile, fsync);
    let closed = false;
    return {
      ...mvcc.readMethods,
      async checkHealth() {
        if (writer.failure !== undefined) throw writer.failure;
      },
      async txn(key, expect, change) {
        if (closed) throw new StoreError("PINTLE6511", `the change was not stored: the store in ${folder} is closed`);
        return writer.commit({ key, expect, change });
      },
      async close() {
        if (closed) return;
        closed = true;
        try {
          await writer.idle();
          await log.sync();
        } finally {
          await log.close();
          await writerFile?.close();
          release();
        }
      },
    };
  } catch (error) {
    await writerFile?.close();
    release();
    throw toFolderError(folder, error);
  }
}

/** Creates and locks the folder. */
async function lockStoreFolder(disk: Disk, folder: string): Promise<() => void> {
  try {
    disk.makeFolder(folder);
    const lock = await disk.lock(folder);
    if ("release" in lock) return lock.release;
    throw new StoreError("PINTLE6510", `${folder} is in use by ${lock.heldBy}: stop it first, or choose another folder`);
  } catch (error) {
    throw toFolderError(folder, error);
  }
}

function toFolderError(folder: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StoreError || code === undefined) return error;
  const advice = "It must be a folder that this user can write to";
  return new StoreError("PINTLE6516", `${folder} cannot be used for the store: ${message}. ${advice}`, { cause: error });
}

type TxnResult = TxnCommitted | TxnConflict;
interface PendingTxn {
  readonly key: string;
  readonly expect: number;
  readonly change: StoreChange;
}
interface CommitWriter {
  commit(txn: PendingTxn): TxnResult | Promise<TxnResult>;
  /** Resolves when no commit is in progress. */
  idle(): Promise<void>;
}
interface FileWriter extends CommitWriter {
  /** The error of the last commit; undefined if it succeeded. */
  readonly failure: unknown;
}

function createWriter(mvcc: MvccStore, log: RotatingLog, writerFile: WriterFile, fsync: boolean): FileWriter {
  let replaced: unknown;
  let failure: unknown;
  /** Throws when another process has taken over the folder: its state is not this one's any more. */
  const checkNotReplaced = () => {
    try {
      writerFile.checkNotReplaced();
    } catch (error) {
      replaced = error;
      throw error;
    }
  };
  const acknowledge = (granted: readonly (number | undefined)[]) => {
    const last = granted.findLast((revision) => revision !== undefined);
    if (last !== undefined) writerFile.acknowledge(last);
  };
  const parts = { mvcc, log, checkNotReplaced, acknowledge };
  const { commit, idle } = fsync ? createGroupCommitWriter(parts) : createImmediateWriter(parts);
  return {
    async commit(txn) {
      if (replaced !== undefined) throw replaced;
      try {
        const result = await commit(txn);
        failure = undefined;
        return result;
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    idle,
    get failure() {
      return failure;
    },
  };
}

interface WriterParts {
  readonly mvcc: MvccStore;
  readonly log: RotatingLog;
  /** Called when a commit is in the log. */
  checkNotReplaced(): void;
  /** Called with the revisions of a batch before it is visible. */
  acknowledge(granted: readonly (number | undefined)[]): void;
}

/** Commits one transaction at a time; a commit is done when the write returns. */
function createImmediateWriter({ mvcc, log, checkNotReplaced, acknowledge }: WriterParts): CommitWriter {
  return {
    commit(txn) {
      const { granted, payload } = planCommits(mvcc, [txn]);
      if (payload.length > 0) {
        log.write(payload);
        checkNotReplaced();
        acknowledge(granted);
      }
      const outcome = applyTxn(mvcc, txn, granted[0]);
      runInBackground(log.compactIfNeeded());
      return outcome;
    },
    async idle() {},
  };
}

/** Group commit: while one batch is being synced, the next one queues up. */
function createGroupCommitWriter({ mvcc, log, checkNotReplaced, acknowledge }: WriterParts): CommitWriter {
  let queued: { readonly txn: PendingTxn; resolve(outcome: TxnResult): void; reject(error: unknown): void }[] = [];
  let running: Promise<void> | undefined;
  const writeBatches = async () => {
    while (queued.length > 0) {
      const batch = queued;
      queued = [];
      try {
        const { granted, payload } = planCommits(
          mvcc,
          batch.map(({ txn: wish }) => wish),
        );
        if (payload.length > 0) {
          log.write(payload);
          await log.sync();
          checkNotReplaced();
          acknowledge(granted);
        }
        for (const [index, { txn: wish, resolve }] of batch.entries()) resolve(applyTxn(mvcc, wish, granted[index]));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await log.compactIfNeeded();
    }
    running = undefined;
  };
  return {
    commit: (txn) =>
      new Promise((resolve, reject) => {
        queued.push({ txn, resolve, reject });
        running ??= writeBatches();
      }),
    async idle() {
      await running;
    },
  };
}

/** Decides which transactions succeed, each applied after those before it; returns their revisions and the log payload. */
function planCommits(mvcc: MvccStore, txns: readonly PendingTxn[]) {
  const changed = new Map<string, number>();
  let revision = mvcc.revision();
  const lines: string[] = [];
  const granted = txns.map(({ key, expect, change }) => {
    const current = changed.get(key) ?? mvcc.getEntry(key)?.revision ?? 0;
    if (current !== expect || (current === 0 && "delete" in change)) return undefined;
    revision++;
    changed.set(key, "put" in change ? revision : 0);
    lines.push("put" in change ? encodePutRecord(key, change.put, revision) : encodeDeleteRecord(key, revision));
    return revision;
  });
  return { granted, payload: Buffer.from(lines.join("\n")) };
}

function applyTxn(mvcc: MvccStore, { key, change }: PendingTxn, revision: number | undefined): TxnResult {
  const current = mvcc.getEntry(key);
  if (revision === undefined) return { ok: false, current };
  const committed = "put" in change ? mvcc.put(key, change.put, revision, change.attachment) : mvcc.delete(key, revision);
  return committed ?? { ok: false, current };
}
