import type { Ledger } from "../ledger.ts";
import { type Change, type Committed, type Conflict, type Store, StoreError } from "../store.ts";
import { type Disk, localDisk } from "./disk.ts";
import { deleteLine, putLine } from "./records.ts";
import { recover } from "./recover.ts";
import { type Volume, volume } from "./volume.ts";

export interface FileStoreOptions {
  readonly folder: string;
  /**
   * Commits resolve only when they survive a power cut; those that come together share one fsync. Otherwise they survive
   * the end of this process, however it comes, as the operating system has them.
   */
  readonly fsync?: boolean | undefined;
  /** How many past commits are kept for watches to resume from. */
  readonly history?: number | undefined;
  /** A new snapshot is made when the log is so many bytes long, and twice as long as the last snapshot. */
  readonly compactAt?: number | undefined;
  readonly disk?: Disk | undefined;
}

const COMPACT_AT = 16 * 1024 * 1024;

/**
 * A store in a folder: everything is in memory, and every commit is in a log before anybody sees it. Starts with the last
 * snapshot and the logs since then. Throws StoreError when the folder is in use or damaged.
 */
export async function fileStore(options: FileStoreOptions): Promise<Store> {
  const { folder, fsync = false, compactAt = COMPACT_AT, disk = localDisk, history } = options;
  disk.makeFolder(folder);
  const release = disk.lock(folder);
  try {
    const { ledger: kept, ...found } = await recover(disk, folder, history);
    const state = () => ({ revision: kept.revision(), entries: kept.all() });
    const log = await volume({ disk, folder, fsync, compactAt, ...found, state });
    const writer = fsync ? together(kept, log) : atOnce(kept, log);
    let closed = false;
    return {
      ...kept.reads,
      async txn(key, expect, change) {
        if (closed) throw new StoreError(`nothing was stored, as the store in ${folder} is closed`);
        return writer.write({ key, expect, change });
      },
      async close() {
        if (closed) return;
        closed = true;
        try {
          await writer.idle();
          await log.sync();
        } finally {
          await log.close();
          release();
        }
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

type Outcome = Committed | Conflict;
interface Wish {
  readonly key: string;
  readonly expect: number;
  readonly change: Change;
}
interface Writer {
  write(wish: Wish): Outcome | Promise<Outcome>;
  /** Resolves when nothing is being written. */
  idle(): Promise<void>;
}

/** The operating system has a commit when it is done: there is nothing to wait for. */
function atOnce(kept: Ledger, log: Volume): Writer {
  return {
    write(wish) {
      const { granted, payload } = decide(kept, [wish]);
      if (payload.length > 0) log.write(payload);
      const outcome = carryOut(kept, wish, granted[0]);
      void log.tidy();
      return outcome;
    },
    async idle() {},
  };
}

/** While the disk makes one batch of commits safe, the next one gathers. */
function together(kept: Ledger, log: Volume): Writer {
  let gathered: { readonly wish: Wish; resolve(outcome: Outcome): void; reject(error: unknown): void }[] = [];
  let working: Promise<void> | undefined;
  const work = async () => {
    while (gathered.length > 0) {
      const batch = gathered;
      gathered = [];
      try {
        const { granted, payload } = decide(
          kept,
          batch.map(({ wish }) => wish),
        );
        if (payload.length > 0) {
          log.write(payload);
          await log.sync();
        }
        for (const [index, { wish, resolve }] of batch.entries()) resolve(carryOut(kept, wish, granted[index]));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await log.tidy();
    }
    working = undefined;
  };
  return {
    write: (wish) =>
      new Promise((resolve, reject) => {
        gathered.push({ wish, resolve, reject });
        working ??= work();
      }),
    async idle() {
      await working;
    },
  };
}

/** Which wishes come true, each after those before it, with which revisions; and what the log has to say about them. */
function decide(kept: Ledger, wishes: readonly Wish[]) {
  const changed = new Map<string, number>();
  let revision = kept.revision();
  const lines: string[] = [];
  const granted = wishes.map(({ key, expect, change }) => {
    const current = changed.get(key) ?? kept.entry(key)?.revision ?? 0;
    if (current !== expect || (current === 0 && "delete" in change)) return undefined;
    revision++;
    changed.set(key, "put" in change ? revision : 0);
    lines.push("put" in change ? putLine(key, change.put, revision) : deleteLine(key, revision));
    return revision;
  });
  return { granted, payload: Buffer.from(lines.join("\n")) };
}

function carryOut(kept: Ledger, { key, change }: Wish, revision: number | undefined): Outcome {
  const current = kept.entry(key);
  if (revision === undefined) return { ok: false, current };
  const committed = "put" in change ? kept.put(key, change.put, revision, change.note) : kept.delete(key, revision);
  return committed ?? { ok: false, current };
}
