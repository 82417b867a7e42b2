import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/kinds";

/**
 * Storage of the API server: an MVCC key-value store like etcd's. Each commit takes the next revision, and earlier revisions can be read
 * until they are compacted. Values are deeply frozen and carry the revision of their last change as `metadata.resourceVersion`.
 */
export interface ObjectStore {
  /** Returns the revision of the last commit. */
  currentRevision(): number;
  /** Returns the entry of a key, now or at `revision`. Throws `CompactedError`. */
  get(key: string, revision?: number): Promise<StoreEntry | undefined>;
  /** Returns the entries whose key starts with `prefix`, in byte order of keys. Throws `CompactedError`. */
  range(prefix: string, options?: StoreRangeOptions): Promise<StoreRange>;
  /**
   * Commits a change if the key's last revision is `expect` (0: the key must not exist). Once it resolves, the change is as durable as
   * the backend makes it. Throws `StoreError`: nothing was changed, or the outcome is unknown.
   */
  txn(key: string, expect: number, change: StoreChange): Promise<TxnCommitted | TxnConflict>;
  /**
   * Calls `listener` for every change under `prefix` (which ends in a slash) after revision `after`, past ones first, in order, exactly
   * once. Resolves with the function that ends the watch. Listeners must not throw. Throws `CompactedError` when history does not reach
   * back to `after`.
   */
  watch(prefix: string, after: number, listener: (event: StoreEvent) => void): Promise<() => void>;
  /** Resolves once the current revision is at least `revision`, or when `signal` aborts. */
  waitForRevision(revision: number, signal: AbortSignal): Promise<void>;
  /** Compacts history up to and including `revision`. */
  compact(revision: number): Promise<void>;
  /**
   * Resolves once reads see every write that was committed before the call. Throws `StoreError` when the backend does not respond. Default:
   * the store has a single writer, so they always do.
   */
  waitUntilFresh?(): Promise<void>;
  /**
   * Resolves if the backend responds and its last write succeeded; otherwise throws `StoreError`. Default: the store is always healthy.
   */
  checkHealth?(): Promise<void>;
  /**
   * Returns the state including history, now or at `revision`, for `createMemoryStore({ from })`. Shares all values, so it is cheap. Throws
   * `CompactedError`.
   */
  snapshot(revision?: number): StoreSnapshot;
  /** Releases the backend's resources. Committed changes stay, where the backend persists them. */
  close(): Promise<void>;
}

/** A key and its value, stored as JSON and decoded on demand. Immutable except for the attachment. */
export interface StoreEntry {
  /** "/registry/pods/default/web". */
  readonly key: string;
  /** Revision of the last change. */
  readonly revision: number;
  /** The decoded value, frozen; cached while it is read. */
  readonly value: JsonObject;
  /** Object that the API server attaches to the entry: the schema by which the stored value can be served unchanged. */
  attachment: object | undefined;
  /** Decodes the value without caching or freezing it. Must not be modified. */
  decode(): JsonObject;
  /** Like `decode`, but `managedFields`, often half of an object, may be missing. */
  decodeWithoutManagedFields(): JsonObject;
  /** Decodes the metadata only; `managedFields` may be missing. */
  decodeMetadata(): JsonObject;
  /** Returns the value as JSON text. */
  json(): string;
  /** Returns the JSON in UTF-8 with a trailing newline. Must not be modified. */
  jsonLine(): Uint8Array;
  /** Length of the JSON in UTF-8, without the newline. */
  readonly byteLength: number;
  /** Returns whether the JSON starts with these bytes. */
  startsWith(bytes: Uint8Array): boolean;
  /** Copies the JSON from byte `from` on; returns the number of bytes. */
  copyJson(target: Uint8Array, at: number, from?: number): number;
  /** Length of the metadata's JSON, including `managedFields`. */
  readonly metadataByteLength: number;
  /** Copies the JSON of the metadata; returns the number of bytes. */
  copyMetadata(target: Uint8Array, at: number): number;
}

/** The state of a store at one revision. Immutable. */
export interface StoreSnapshot {
  /** The revision of the last commit. */
  readonly revision: number;
  /** All entries, by key. */
  readonly entries: ReadonlyMap<string, StoreEntry>;
  /** Keys of the entries, sorted. */
  readonly keys: readonly string[];
  /** Last commits, oldest first, complete from `oldestRevision` on. */
  readonly history: readonly StoreEvent[];
  /** The oldest revision that can be read and watched from. */
  readonly oldestRevision: number;
}

/** Which part of a range is read. */
export interface StoreRangeOptions {
  /** Revision to read at. Default: the current one. */
  readonly revision?: number | undefined;
  /** The maximal number of entries. Default: all. */
  readonly limit?: number | undefined;
  /** Inclusive lower bound; starts with the prefix too. Default: the prefix. */
  readonly fromKey?: string | undefined;
}

/** The entries of a range at one revision. */
export interface StoreRange {
  /** The entries, in byte order of their keys. */
  readonly entries: readonly StoreEntry[];
  /** Revision the range was read at. */
  readonly revision: number;
  /** Number of entries beyond `limit`. */
  readonly remaining: number;
}

/** The change of a transaction: a new value, or the deletion of the key. */
export type StoreChange = StorePut | { readonly delete: true };

/** A new value of a key. */
export interface StorePut {
  /** The value; its `metadata.resourceVersion` is set by the store. */
  readonly put: JsonObject;
  /** Attachment of the new entry, set before any watcher sees it. Default: none. */
  readonly attachment?: object | undefined;
}

/** The outcome of a transaction that was committed. */
export interface TxnCommitted {
  /** The transaction was committed. */
  readonly ok: true;
  /** The stored entry; for a delete the last value, with the revision of the delete. */
  readonly entry: StoreEntry;
  /** The decoded value of the entry. */
  readonly value: JsonObject;
}

/** The outcome of a transaction whose key had changed: nothing was committed. */
export interface TxnConflict {
  /** The transaction was not committed. */
  readonly ok: false;
  /** The current entry; undefined: the key does not exist. */
  readonly current: StoreEntry | undefined;
}

/** One commit. Every watcher receives the same event object, so work per event can be shared by identity. */
export interface StoreEvent {
  /** Whether the key has a new value or was deleted. */
  readonly type: "put" | "delete";
  /** The key that changed. */
  readonly key: string;
  /** The revision of the commit. */
  readonly revision: number;
  /** The stored entry; for a delete the last value, with the revision of the delete. */
  readonly entry: StoreEntry;
  /** The decoded value of the entry. */
  readonly value: JsonObject;
  /** The entry before the commit; undefined if the key is new. */
  readonly previous: StoreEntry | undefined;
}

/**
 * The requested revision has been compacted.
 *
 * @example
 * ```ts
 * import { CompactedError, startCluster } from "@pintle/cluster";
 *
 * const { server, stop } = await startCluster();
 * try {
 *   await server.store.range("/registry/pods/", { revision: 2 });
 * } catch (error) {
 *   if (!(error instanceof CompactedError)) throw error;
 *   console.log(`oldest available revision: ${error.oldestRevision}`);
 * }
 * await stop();
 * ```
 */
export class CompactedError extends PintleError {
  override readonly name = "CompactedError";
  readonly requestedRevision: number;
  /** Oldest revision that can still be read. */
  readonly oldestRevision: number;

  constructor(requestedRevision: number, oldestRevision: number) {
    super(
      "PINTLE6508",
      `revision ${requestedRevision} is compacted, the oldest available is ${oldestRevision}: read the current state instead`,
    );
    this.requestedRevision = requestedRevision;
    this.oldestRevision = oldestRevision;
  }
}

/**
 * The storage backend failed: disk full, server unreachable, data damaged. The message says what to do; `code` identifies the failure.
 *
 * @example
 * ```ts
 * import { StoreError, startCluster } from "@pintle/cluster";
 *
 * try {
 *   await startCluster({ store: { file: ".pintle/data" } });
 * } catch (error) {
 *   if (error instanceof StoreError) console.error(`${error.code}: ${error.message}`);
 *   throw error;
 * }
 * ```
 */
export class StoreError extends PintleError {
  override readonly name: string = "StoreError";
}
