import type { JsonObject } from "pintle/kinds";
import type { Entry } from "../store.ts";
import { parseText, valueText } from "../value-text.ts";

/** One commit, as a line of the log. */
export type Commit =
  | readonly [type: "put", revision: number, key: string, value: JsonObject]
  | readonly [type: "delete", revision: number, key: string];

export function putLine(key: string, value: JsonObject, revision: number): string {
  return `["put",${revision},${JSON.stringify(key)},${valueText(value)}]`;
}

export function deleteLine(key: string, revision: number): string {
  return `["delete",${revision},${JSON.stringify(key)}]`;
}

/** One entry, as a line of a snapshot. Its text repeats the revision, which costs less than to write it again without. */
export function entryLine(entry: Entry): string {
  return `[${entry.revision},${JSON.stringify(entry.key)},${entry.text()}]`;
}

export type EntryLine = readonly [revision: number, key: string, value: JsonObject];

export function lines(payload: Buffer): unknown[] {
  return payload.toString().split("\n").map(parseText);
}
