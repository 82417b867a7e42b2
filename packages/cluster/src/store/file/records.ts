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

/** One entry, as a line of a snapshot. */
export function entryLine({ key, value, revision }: Entry): string {
  return `[${revision},${JSON.stringify(key)},${valueText(value)}]`;
}

export type EntryLine = readonly [revision: number, key: string, value: JsonObject];

export function lines(payload: Buffer): unknown[] {
  return payload.toString().split("\n").map(parseText);
}
