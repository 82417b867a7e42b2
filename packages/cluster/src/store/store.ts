import type { JsonObject } from "pintle/kinds";

/**
 * Where objects live. One revision counter for everything: each commit takes the next number, and what a key held at
 * an earlier number can be read back as long as history reaches. Values are deeply frozen, and every value handed out
 * carries the revision of its last change as `metadata.resourceVersion`.
 */
export interface Store {
  currentRevision(): number;
  /** What the key holds, now or at `revision`. Throws Compacted. */
  get(key: string, revision?: number): Promise<Entry | undefined>;
  /** Entries whose key starts with `prefix`, in byte order of keys. Throws Compacted. */
  range(prefix: string, options?: RangeOptions): Promise<Range>;
  /**
   * Takes effect only when the key's last change is `expect` (0: the key must not exist). Once it resolves, the change
   * is as safe as the backend makes it. Throws StoreError: nothing was changed, or it is not known whether it was.
   */
  txn(key: string, expect: number, change: Change): Promise<Committed | Conflict>;
  /**
   * Every change under `prefix` (which ends in a slash) after revision `after`, past ones first, in order, each exactly once. Returns how to
   * stop. Listeners must not throw. Throws Compacted when history does not reach back to `after`.
   */
  watch(prefix: string, after: number, listener: (event: StoreEvent) => void): Promise<() => void>;
  /** Resolves once the current revision is at least `revision`, or `signal` aborts: look which. */
  reached(revision: number, signal: AbortSignal): Promise<void>;
  /** Forgets history up to and including `revision`. */
  compact(revision: number): Promise<void>;
  /**
   * Resolves once reads see everything that anybody had written when it was called. Absent: they always do, as nobody
   * else writes. Throws StoreError when that cannot be found out.
   */
  fresh?(): Promise<void>;
  /** Everything as it is now, history included, for `memoryStore({ from })`. Shares all values, so it costs little. */
  snapshot(): StoreSnapshot;
  /** Lets go of what the backend holds. What was written before is kept, where the backend keeps anything. */
  close(): Promise<void>;
}

/** What a key holds: text, from which the value is put together when somebody asks for it. Immutable but for its note. */
export interface Entry {
  readonly key: string;
  /** Revision of the last change. */
  readonly revision: number;
  /** The same for all who ask within a while. */
  readonly value: JsonObject;
  /** What somebody found out about the value, for whoever looks next. */
  note: object | undefined;
  /** The value for somebody who needs it only once: it is neither kept at hand nor frozen, and not to be changed all the same. */
  read(): JsonObject;
  /** The same, but it may lack `managedFields`, which are often half of it. */
  readBrief(): JsonObject;
  /** The same of its metadata alone, which may lack `managedFields`. */
  metadata(): JsonObject;
  /** The value as JSON. */
  text(): string;
  /** The same in UTF-8, with a newline behind it. Not to be changed. */
  line(): Uint8Array;
  /** How many bytes the text has, without the newline. */
  readonly length: number;
  startsWith(bytes: Uint8Array): boolean;
  /** Copies the bytes of the text, without those before `from`; returns how many that were. */
  copyText(target: Uint8Array, at: number, from?: number): number;
  /** The bytes of the metadata, `managedFields` included: how many, and copied. */
  readonly metadataLength: number;
  copyMetadata(target: Uint8Array, at: number): number;
}

/** The whole state of a store at one revision. Immutable. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Of the entries, in order. */
  readonly keys: readonly string[];
  /** The last commits, oldest first, and the revision from which on they are complete. */
  readonly history: readonly StoreEvent[];
  readonly oldest: number;
}

export interface RangeOptions {
  /** The state as of this revision; default: now. */
  readonly revision?: number | undefined;
  readonly limit?: number | undefined;
  /** Inclusive lower bound; starts with the prefix too. */
  readonly fromKey?: string | undefined;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** Revision the range was read at. */
  readonly revision: number;
  /** How many more entries lie behind a `limit`. */
  readonly remaining: number;
}

export type Change = Put | { readonly delete: true };
export interface Put {
  readonly put: JsonObject;
  /** For the entry, before any watcher sees it. */
  readonly note?: object | undefined;
}

export interface Committed {
  readonly ok: true;
  /** The entry as stored; for a delete the last value, stamped with the revision of the delete. */
  readonly entry: Entry;
  /** The entry's, which need not be put together for this one time. */
  readonly value: JsonObject;
}
export interface Conflict {
  readonly ok: false;
  /** What the key holds instead; undefined: nothing. */
  readonly current: Entry | undefined;
}

/** One commit. The same event value goes to every watcher, so work per event can be shared by identity. */
export interface StoreEvent {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: number;
  /** As stored; for a delete the last value, stamped with the revision of the delete. */
  readonly entry: Entry;
  /** The entry's. */
  readonly value: JsonObject;
  readonly previous: Entry | undefined;
}

/** History does not reach back far enough. */
export class Compacted extends Error {
  override readonly name = "Compacted";
  readonly requested: number;
  /** Oldest revision whose state can still be read. */
  readonly oldest: number;

  constructor(requested: number, oldest: number) {
    super(`revision ${requested} is gone from history, the oldest kept is ${oldest}: read the current state instead`);
    this.requested = requested;
    this.oldest = oldest;
  }
}

/** The backend cannot do what it is asked for: its disk is full, its server is away. The message says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
