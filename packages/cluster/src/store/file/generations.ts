import path from "node:path";
import type { FileType } from "./heading.ts";

/**
 * The files of a folder. Each generation has a log, and all but the first a snapshot of what the log begins with; a
 * snapshot replaces everything before it.
 */
export interface Generations {
  /** Ascending. */
  readonly logs: readonly number[];
  readonly snapshots: readonly number[];
}

export function generationsIn(names: readonly string[]): Generations {
  const of = (type: FileType) =>
    names
      .map((name) => new RegExp(`^(\\d{8,})\\.${type}$`).exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
  return { logs: of("log"), snapshots: of("snapshot") };
}

export function fileOf(folder: string, generation: number, type: FileType): string {
  return path.join(folder, `${String(generation).padStart(8, "0")}.${type}`);
}

/** Of a snapshot that is still being written. */
export const UNFINISHED = ".unfinished";
