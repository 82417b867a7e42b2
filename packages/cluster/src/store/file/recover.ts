import path from "node:path";
import { createMvccStore, type MvccStore } from "../mvcc/mvcc-store.ts";
import { StoreError } from "../store.ts";
import { adviseOnDataLoss } from "./data-loss-advice.ts";
import type { Disk } from "./disk.ts";
import { readFrames } from "./frames.ts";
import { getGenerationFile, TEMPORARY_SUFFIX } from "./generations.ts";
import { findLogs, type LogLink } from "./log-chain.ts";
import { type CommitRecord, type PreviousLog, parseRecords } from "./log-records.ts";
import { readSnapshot } from "./snapshot.ts";

export interface RecoveredStore {
  readonly mvcc: MvccStore;
  /** Generation of the next log, and where the last one ends; undefined when there is none. */
  readonly generation: number;
  readonly previous: PreviousLog | undefined;
  /** Number and total size of the logs that a snapshot would replace. */
  readonly olderLogs: number;
  readonly olderLogBytes: number;
  readonly snapshotBytes: number;
  /** One line about what is gone; undefined when nothing is. */
  readonly lossReport: string | undefined;
}

export interface RecoverOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly history: number | undefined;
  /** The last acknowledged revision, if it is known. */
  readonly acknowledged: number | undefined;
  /** Continue where commits cannot be read, or acknowledged ones are missing. */
  readonly acceptDataLoss: boolean;
}

/**
 * Recovers the state of a folder: the last snapshot plus the logs after it. Modifies no log. A torn end of the last log, as a crash leaves
 * it, is reported and ignored. Throws `StoreError` rather than lose an acknowledged commit, unless that is accepted.
 */
export function recoverStore({ disk, folder, history, acknowledged, acceptDataLoss }: RecoverOptions): RecoveredStore {
  const names = disk.listFiles(folder);
  const { logs, snapshot, nextGeneration } = findLogs(disk, folder, names);
  const snapshotFile = snapshot === undefined ? undefined : getGenerationFile(folder, snapshot, "snapshot");
  const bytes = snapshotFile === undefined ? undefined : disk.read(snapshotFile);
  const mvcc = createMvccStore({ history, ...(bytes && readSnapshot(bytes, snapshotFile as string)) });

  const { end, gone } = replayLogs(disk, logs, mvcc, acceptDataLoss);
  const previous = end && { ...end, revision: mvcc.revision() };
  const lossReport = checkAcknowledged({ folder, gone, recovered: mvcc.revision(), acknowledged, acceptDataLoss });
  if (acknowledged !== undefined && acknowledged > mvcc.revision()) skipToRevision(mvcc, acknowledged);
  for (const name of names) if (isStaleFile(name, snapshot ?? 1)) disk.remove(path.join(folder, name));
  return {
    mvcc,
    generation: nextGeneration,
    previous,
    olderLogs: logs.length,
    olderLogBytes: logs.reduce((sum, { byteLength }) => sum + byteLength, 0),
    snapshotBytes: bytes?.length ?? 0,
    lossReport,
  };
}

/** Bytes at the end of the logs that are not part of the store. */
interface LostBytes {
  readonly file: string;
  readonly bytes: number;
}

/** Replays the logs in order; returns where the last one ends. */
function replayLogs(disk: Disk, logs: readonly LogLink[], mvcc: MvccStore, acceptDamage: boolean) {
  let end: Omit<PreviousLog, "revision"> | undefined;
  let gone: LostBytes | undefined;
  for (const [index, log] of logs.entries()) {
    const damage = replayLog(disk.read(log.file), log, mvcc);
    // An end that is torn although commits follow in the next log.
    const isTornInside = damage?.tail === "torn" && logs.slice(index + 1).some(({ hasCommits }) => hasCommits);
    if (damage !== undefined && (damage.tail === "damaged" || isTornInside) && !acceptDamage) throw damagedError(log.file, damage);
    end = { generation: log.generation, end: damage?.at ?? log.end ?? log.byteLength };
    if (damage === undefined) continue;
    const later = logs.slice(index + 1).reduce((sum, { byteLength, hasCommits }) => sum + (hasCommits ? byteLength : 0), 0);
    gone = { file: log.file, bytes: log.byteLength - damage.at + later };
    break;
  }
  return { end, gone };
}

interface LogDamage {
  readonly tail: "torn" | "damaged";
  readonly at: number;
  readonly reason?: string;
}

/** Applies the commits of a log up to its end or to what cannot be read. */
function replayLog(bytes: Buffer, { start, contentStart, end }: LogLink, mvcc: MvccStore): LogDamage | undefined {
  if (start !== undefined) {
    const before = start.previous?.revision ?? mvcc.revision();
    if (before !== mvcc.revision() || start.revision < before) {
      return { tail: "damaged", at: contentStart, reason: `it continues after revision ${before} instead of ${mvcc.revision()}` };
    }
    if (start.revision > before) skipToRevision(mvcc, start.revision);
  }
  const { payloads, offsets, end: intactEnd, tail } = readFrames(bytes.subarray(0, end), contentStart);
  for (const [index, payload] of payloads.entries()) {
    const reason = replayFrame(mvcc, payload);
    if (reason !== undefined) return { tail: "damaged", at: offsets[index] as number, reason };
  }
  if (end !== undefined && intactEnd !== end) return { tail: "damaged", at: intactEnd };
  return tail === "nothing" ? undefined : { tail, at: intactEnd };
}

/** Applies the commits of one frame; returns what is wrong with it. */
function replayFrame(mvcc: MvccStore, payload: Buffer): string | undefined {
  let records: readonly CommitRecord[];
  try {
    records = parseRecords(payload) as readonly CommitRecord[];
  } catch (error) {
    return (error as Error).message;
  }
  for (const [type, revision, key, value] of records) {
    const expected = mvcc.revision() + 1;
    const done = revision === expected && (type === "put" ? mvcc.put(key, value, revision) : mvcc.delete(key, revision));
    if (!done) return `it continues with revision ${revision} of ${key} instead of ${expected}`;
  }
  return undefined;
}

/** Revisions that were given up are not used again: clients that saw them must list instead of continuing a watch. */
function skipToRevision(mvcc: MvccStore, revision: number): void {
  mvcc.advanceRevision(revision);
  mvcc.compact(revision);
}

interface Recovered {
  readonly folder: string;
  readonly gone: LostBytes | undefined;
  readonly recovered: number;
  readonly acknowledged: number | undefined;
  readonly acceptDataLoss: boolean;
}

/** Returns the line to log. Throws `StoreError` if acknowledged revisions are missing, unless that is accepted. */
function checkAcknowledged({ folder, gone, recovered, acknowledged, acceptDataLoss }: Recovered): string | undefined {
  const revisions = Math.max(0, (acknowledged ?? 0) - recovered);
  const bytes = gone === undefined ? "" : `${gone.bytes} bytes at the end of ${gone.file} and `;
  const lost = `${revisions} acknowledged revision${revisions === 1 ? "" : "s"}`;
  const range = revisions === 0 ? "" : revisions === 1 ? ` (${acknowledged})` : ` (${recovered + 1} to ${acknowledged})`;
  if (revisions > 0 && !acceptDataLoss) {
    throw new StoreError("PINTLE6518", `${folder} is incomplete: ${bytes}${lost}${range} are gone. ${adviseOnDataLoss(folder, "them")}`);
  }
  if (gone === undefined && revisions === 0) return undefined;
  const known = acknowledged === undefined ? "an unknown number of acknowledged revisions" : `${lost}${range}`;
  return `${folder}: ${bytes}${known} are gone; continuing after revision ${recovered}`;
}

function damagedError(file: string, { at, reason }: LogDamage): StoreError {
  return new StoreError(
    "PINTLE6512",
    `${file} is damaged at byte ${at}${reason === undefined ? "" : ` (${reason})`}: the commits from there on cannot be read. ${adviseOnDataLoss(path.dirname(file), "them")}`,
  );
}

/** Whether a file is left over from a compaction that a crash interrupted. */
function isStaleFile(name: string, newest: number): boolean {
  const [, digits, ending] = /^(\d{8,})\.(.+)$/.exec(name) ?? [];
  if (digits === undefined) return false;
  return ending === `snapshot${TEMPORARY_SUFFIX}` || ((ending === "log" || ending === "snapshot") && Number(digits) < newest);
}
