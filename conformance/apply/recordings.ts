import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Exchange } from "./history.ts";

/** Recorded histories of a real server by kind, for comparisons without one. */
export type Recordings = { readonly [kind: string]: readonly (readonly Exchange[])[] };

const FILE = new URL("./recordings.json.gz", import.meta.url);

export async function readRecordings(): Promise<Recordings> {
  return JSON.parse((await promisify(gunzip)(await readFile(FILE))).toString()) as Recordings;
}

export async function writeRecordings(recordings: Recordings): Promise<void> {
  await writeFile(FILE, await promisify(gzip)(JSON.stringify(recordings), { level: 9 }));
}
