import path from "node:path";
import type { StoreFileType } from "./file-header.ts";

/**
 * Files of a store's folder by generation. Each generation has a log, and all but the first a snapshot of the state that its log starts
 * from; a snapshot replaces all earlier generations.
 */
export interface Generations {
  /** Ascending. */
  readonly logs: readonly number[];
  readonly snapshots: readonly number[];
}

export function listGenerations(names: readonly string[]): Generations {
  const listOfType = (type: StoreFileType) =>
    names
      .map((name) => name.split("."))
      .filter(([digits = "", extension, ...rest]) => extension === type && rest.length === 0 && /^\d{8,}$/.test(digits))
      .map(([digits]) => Number(digits))
      .sort((a, b) => a - b);
  return { logs: listOfType("log"), snapshots: listOfType("snapshot") };
}

export function getGenerationFile(folder: string, generation: number, type: StoreFileType): string {
  return path.join(folder, `${String(generation).padStart(8, "0")}.${type}`);
}

/** Suffix of a file that is still being written. */
export const TEMPORARY_SUFFIX = ".unfinished";
