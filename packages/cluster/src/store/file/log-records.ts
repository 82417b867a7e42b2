import type { JsonObject } from "pintle/kinds";
import type { StoreEntry } from "../store.ts";
import { encodeStoredValue, parseStoredJson } from "../value-json.ts";

/** First record of a log: what precedes its commits. */
export interface LogStart {
  /** Revision that the log's commits follow. */
  readonly revision: number;
  /** The log before it; absent in the first one. */
  readonly previous?: PreviousLog | undefined;
}

export interface PreviousLog {
  readonly generation: number;
  /**
   * Where it ended when the next log was created. What follows is not part of the store: a write that a crash cut short, or one of a
   * process that did not notice that another one had taken over.
   */
  readonly end: number;
  /** Revision at its end. Lower than the revision of the next log if acknowledged revisions were given up. */
  readonly revision: number;
}

/** One commit, encoded as a line of the log. */
export type CommitRecord =
  | readonly [type: "put", revision: number, key: string, value: JsonObject]
  | readonly [type: "delete", revision: number, key: string];

export function encodePutRecord(key: string, value: JsonObject, revision: number): string {
  return `["put",${revision},${JSON.stringify(key)},${encodeStoredValue(value)}]`;
}

export function encodeDeleteRecord(key: string, revision: number): string {
  return `["delete",${revision},${JSON.stringify(key)}]`;
}

/** Encodes one entry as a line of a snapshot. The JSON includes the resourceVersion, which is cheaper than re-encoding without it. */
export function encodeEntryRecord(entry: StoreEntry): string {
  return `[${entry.revision},${JSON.stringify(entry.key)},${entry.json()}]`;
}

export type EntryRecord = readonly [revision: number, key: string, value: JsonObject];

export function parseRecords(payload: Buffer): unknown[] {
  return payload.toString().split("\n").map(parseStoredJson);
}
