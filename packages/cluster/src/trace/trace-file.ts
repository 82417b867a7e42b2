import type { Fact } from "pintle";
import type { JsonObject } from "pintle/kinds";

/** The version of the file format. Readers accept lower ones, and refuse higher ones. */
export const TRACE_VERSION = 2;

/** The subject of a trace. */
export interface TraceAbout {
  /** What was recorded. */
  readonly source: "test" | "dev" | "cluster" | "operator";
  /** The test that failed. Default: none did. */
  readonly test?: {
    readonly name: string;
    readonly file?: string | undefined;
    readonly error?: string | undefined;
    readonly expected?: string | undefined;
    readonly actual?: string | undefined;
  };
  /** What the test or the program printed. Default: nothing. */
  readonly output?: string | undefined;
}

/** `manifest.json`. */
export interface TraceManifest {
  readonly format: "pintle-trace";
  readonly version: number;
  /** The version of the facts. */
  readonly facts: number;
  /** The version of Node that wrote it. */
  readonly node: string;
  /** Time of the recorder's clock when it was written, in milliseconds since 1970. */
  readonly time: number;
  readonly about: Omit<TraceAbout, "output">;
  /** The revision of `base.ndjson`; undefined without a cluster. */
  readonly revision?: number | undefined;
  /** How many facts were dropped before it was written, because of the limit of the recorder or of the file. */
  readonly dropped: number;
  /** Size and SHA-256 of every other file, decompressed. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** A line of `base.ndjson`: an object at the start. */
export interface TraceBaseObject {
  /** The key in the store: "/registry/pods/default/web". */
  readonly key: string;
  readonly revision: number;
  readonly object: JsonObject;
}

/** A line of `commits.ndjson`. */
export interface TraceCommit {
  readonly revision: number;
  readonly time: number;
  readonly operation: "put" | "delete";
  readonly key: string;
  readonly uid: string;
  /**
   * The object. In the file, a JSON merge patch from the one before is in `patch` instead where that is possible. Default: it was deleted, or only its
   * version is known.
   */
  readonly object?: JsonObject | undefined;
  /** Of the `commit` fact: its sequence, its time, and the audit id of the request, or "run <id>". In the file only. Default: there is no fact. */
  readonly fact?: readonly [sequence: number, time: number, by?: string | undefined] | undefined;
}

/** A recording that was read from a file. */
export interface Trace {
  readonly manifest: TraceManifest;
  /** Oldest first. */
  readonly facts: readonly Fact[];
  /** The objects at `manifest.revision`. */
  readonly base: readonly TraceBaseObject[];
  /** The commits after it, in order. */
  readonly commits: readonly TraceCommit[];
  /** The schemas of custom resources, by "group/version/Kind". */
  readonly schemas: JsonObject;
  /** Source files that stacks name, by path. */
  readonly sources: Readonly<Record<string, string>>;
  readonly output: string;
}

/** Files of the zip; sources are in `sources/`. */
export const FILES = {
  manifest: "manifest.json",
  facts: "facts.ndjson",
  base: "base.ndjson",
  commits: "commits.ndjson",
  schemas: "schemas.json",
  output: "output.txt",
} as const;
export const SOURCES = "sources/";
/**
 * The NDJSON files are compressed with Brotli, and have this at the end of their names: what repeats in a recording is farther apart than the 32 KB that the
 * compression of zip files sees. Files of version 1 have them as they are.
 */
export const BROTLI = ".br";

/** What a trace file may take. */
export interface TraceLimits {
  /** Bytes of the file. */
  readonly file: number;
  /** Bytes of all its files together, decompressed. */
  readonly content: number;
  /** Number of files in it. */
  readonly files: number;
  /** Values in all JSON together: a value takes more memory than its two or three bytes of text. */
  readonly values: number;
  /** Fields and items that are copied when patches are applied. */
  readonly copies: number;
}

/** What a reader accepts, so that no file takes the memory of the machine. */
export const LIMITS: TraceLimits = {
  file: 64 * 1024 * 1024,
  content: 256 * 1024 * 1024,
  files: 1_000,
  values: 12_000_000,
  copies: 12_000_000,
};
