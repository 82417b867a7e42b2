import type { JsonObject } from "pintle/kinds";
import { CompactedError, type ObjectStore, type StoreEntry, type StoreEvent, type StoreSnapshot, type TxnCommitted } from "../store.ts";
import { stampResourceVersion } from "./freeze.ts";
import { createSortedKeys } from "./sorted-keys.ts";
import { ValueArena } from "./value-arena.ts";
import { createWatchCache } from "./watch-cache.ts";

export interface MvccStoreOptions {
  /** Number of past commits retained for watches to resume from and for reads at an earlier revision. Default: 20,000. */
  readonly history?: number | undefined;
  /** Approximate limit in bytes of the replaced values retained for history. Default: 256 MiB. */
  readonly historyBytes?: number | undefined;
  /** Initial entries and their revision. Default: none at revision 1, as in an empty etcd; clients treat 0 as "any". */
  readonly entries?: readonly LoadedEntry[] | undefined;
  readonly revision?: number | undefined;
  /** Instead of both: the state of another store, including history. */
  readonly from?: StoreSnapshot | undefined;
}

/** An entry as a backend loads it. */
export type LoadedEntry = Pick<StoreEntry, "key" | "value" | "revision">;

/**
 * In-memory MVCC state: current entries, recent commits and watchers. Every backend serves reads and watches from it. The backend decides
 * which changes happen, and applies them in the order of their revisions.
 */
export interface MvccStore {
  /** The methods of `ObjectStore` that a backend exposes unchanged. */
  readonly readMethods: Omit<ObjectStore, "txn" | "waitUntilFresh" | "close">;
  revision(): number;
  getEntry(key: string): StoreEntry | undefined;
  /** All current entries, unordered. */
  allEntries(): readonly StoreEntry[];
  put(key: string, value: JsonObject, revision: number, attachment?: object): TxnCommitted;
  /** Returns the last value with the revision of the delete; undefined when the key does not exist. */
  delete(key: string, revision: number): TxnCommitted | undefined;
  /** Creates an entry that is not part of the state: for a value that the backend reports but the store has not reached. */
  createDetachedEntry(key: string, value: JsonObject, revision: number): TxnCommitted;
  /** Advances the revision without a change. */
  advanceRevision(revision: number): void;
  /** Compacts history up to and including `revision`. */
  compact(revision: number): void;
}

const MEGABYTE = 1024 * 1024;

export function createMvccStore({
  history = 20_000,
  historyBytes = 256 * MEGABYTE,
  entries: initialEntries = [],
  revision: initialRevision = 1,
  from,
}: MvccStoreOptions = {}): MvccStore {
  let revision = from?.revision ?? initialRevision;
  const arena = new ValueArena();
  const entries = new Map(from?.entries);
  const keys = createSortedKeys(from?.keys);
  for (const { key, value, revision: at } of initialEntries) {
    entries.set(key, arena.add(key, at, stampResourceVersion(value, at), undefined));
    keys.add(key);
  }
  const onEvict = ({ type, entry, previous }: StoreEvent) => {
    if (previous !== undefined) arena.release(previous);
    if (type === "delete") arena.release(entry);
  };
  const watchCache = createWatchCache(
    { maxEvents: history, maxBytes: historyBytes, onEvict },
    from?.oldestRevision ?? revision,
    from?.history,
  );
  let lastSnapshot: StoreSnapshot | undefined = from;
  const watchers = new Map<string, Set<(event: StoreEvent) => void>>();
  let revisionWaiters: { readonly revision: number; readonly resolve: () => void }[] = [];

  // A listener may write: its commit is delivered after all listeners have seen the current one.
  const undelivered: CommitEvent[] = [];
  let delivering = false;

  const deliver = () => {
    if (delivering) return;
    delivering = true;
    for (let event = undelivered.shift(); event !== undefined; event = undelivered.shift()) {
      for (const prefix of keyPrefixes(event.key)) {
        // A listener added meanwhile has already replayed this event; a removed one is not called.
        for (const listener of watchers.get(prefix) ?? []) listener(event);
      }
      event.markDelivered();
      if (event.previous !== undefined) arena.markReplaced(event.previous);
    }
    delivering = false;
  };

  const resolveRevisionWaiters = () => {
    if (revisionWaiters.length === 0) return;
    const done = revisionWaiters.filter((each) => each.revision <= revision);
    revisionWaiters = revisionWaiters.filter((each) => each.revision > revision);
    for (const each of done) each.resolve();
  };

  const commit = (type: StoreEvent["type"], entry: StoreEntry, value: JsonObject, previous: StoreEntry | undefined): TxnCommitted => {
    const event = new CommitEvent(type, entry, previous, value);
    revision = event.revision;
    watchCache.append(event);
    undelivered.push(event);
    deliver();
    resolveRevisionWaiters();
    return { ok: true, entry, value };
  };

  const checkNotCompacted = (at: number) => {
    if (at < watchCache.oldestRevision()) throw new CompactedError(at, watchCache.oldestRevision());
  };

  /** Entries under `prefix` that differed at revision `at`; undefined means that the key did not exist. */
  const entriesBefore = (prefix: string, at: number): Map<string, StoreEntry | undefined> => {
    const previous = new Map<string, StoreEntry | undefined>();
    for (const event of watchCache.eventsAfter(at)) {
      if (event.key.startsWith(prefix) && !previous.has(event.key)) previous.set(event.key, event.previous);
    }
    return previous;
  };

  const get: ObjectStore["get"] = async (key, at) => {
    if (at === undefined || at >= revision) return entries.get(key);
    checkNotCompacted(at);
    const previous = entriesBefore(key, at);
    return previous.has(key) ? previous.get(key) : entries.get(key);
  };

  const range: ObjectStore["range"] = async (
    prefix,
    { revision: at = revision, limit = Number.POSITIVE_INFINITY, fromKey: from = prefix } = {},
  ) => {
    checkNotCompacted(at);
    const found: StoreEntry[] = [];
    let remaining = 0;
    const take = (entry: StoreEntry) => {
      if (found.length < limit) found.push(entry);
      else remaining++;
    };
    if (at >= revision) {
      for (const key of keys.keysFrom(from)) {
        if (!key.startsWith(prefix)) break;
        take(entries.get(key) as StoreEntry);
      }
      return { entries: found, revision: at, remaining };
    }
    const previous = entriesBefore(prefix, at);
    const past: StoreEntry[] = [];
    for (const key of keys.keysFrom(from)) {
      if (!key.startsWith(prefix)) break;
      if (!previous.has(key)) past.push(entries.get(key) as StoreEntry);
    }
    for (const [key, entry] of previous) if (entry !== undefined && key >= from) past.push(entry);
    for (const entry of past.sort((a, b) => (a.key < b.key ? -1 : 1))) take(entry);
    return { entries: found, revision: at, remaining };
  };

  const watch: ObjectStore["watch"] = async (prefix, after, listener) => {
    checkNotCompacted(after);
    // Deliver only events that the replay did not include, and none before a future start revision.
    const deliveredRevision = Math.max(after, revision);
    for (const event of watchCache.eventsAfter(after)) if (event.key.startsWith(prefix)) listener(event);
    const notifyOfNewer = (event: StoreEvent) => {
      if (event.revision > deliveredRevision) listener(event);
    };
    const listeners = watchers.get(prefix) ?? new Set();
    watchers.set(prefix, listeners.add(notifyOfNewer));
    return () => {
      listeners.delete(notifyOfNewer);
      if (listeners.size === 0 && watchers.get(prefix) === listeners) watchers.delete(prefix);
    };
  };

  const waitForRevision: ObjectStore["waitForRevision"] = (target, signal) => {
    if (revision >= target || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const each = { revision: target, resolve };
      revisionWaiters.push(each);
      signal.addEventListener("abort", () => {
        revisionWaiters = revisionWaiters.filter((other) => other !== each);
        resolve();
      });
    });
  };

  const compact = (upTo: number) => watchCache.compact(Math.min(upTo, revision));

  const pastSnapshot = (at: number): StoreSnapshot => {
    checkNotCompacted(at);
    const past = new Map(entries);
    for (const [key, entry] of entriesBefore("", at)) {
      if (entry === undefined) past.delete(key);
      else past.set(key, entry);
    }
    const events = watchCache.allEvents().filter((event) => event.revision <= at);
    return { revision: at, entries: past, keys: [...past.keys()].sort(), history: events, oldestRevision: watchCache.oldestRevision() };
  };

  const snapshot: ObjectStore["snapshot"] = (at = revision) => {
    if (at < revision) return pastSnapshot(at);
    if (lastSnapshot?.revision !== revision || lastSnapshot.oldestRevision !== watchCache.oldestRevision()) {
      lastSnapshot = {
        revision,
        entries: new Map(entries),
        keys: keys.toArray(),
        history: watchCache.allEvents(),
        oldestRevision: watchCache.oldestRevision(),
      };
    }
    return lastSnapshot;
  };

  return {
    readMethods: { currentRevision: () => revision, get, range, watch, waitForRevision, compact: async (upTo) => compact(upTo), snapshot },
    revision: () => revision,
    getEntry: (key) => entries.get(key),
    allEntries: () => [...entries.values()],

    put(key, value, at, note) {
      const previous = entries.get(key);
      const stamped = stampResourceVersion(value, at);
      const entry = arena.add(key, at, stamped, note);
      if (previous === undefined) keys.add(key);
      entries.set(key, entry);
      return commit("put", entry, stamped, previous);
    },

    delete(key, at) {
      const previous = entries.get(key);
      if (previous === undefined) return undefined;
      const stamped = stampResourceVersion(previous.value, at);
      const entry = arena.add(key, at, stamped, previous.attachment);
      keys.delete(key);
      entries.delete(key);
      return commit("delete", entry, stamped, previous);
    },

    createDetachedEntry(key, value, at) {
      const stamped = stampResourceVersion(value, at);
      const entry = arena.add(key, at, stamped, undefined);
      arena.release(entry);
      return { ok: true, entry, value: stamped };
    },

    compact,

    advanceRevision(to) {
      if (to <= revision) return;
      revision = to;
      resolveRevisionWaiters();
    },
  };
}

/** Yields every prefix of a key that ends in a slash; watchers are registered by these. */
function* keyPrefixes(key: string): IterableIterator<string> {
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) yield key.slice(0, at + 1);
}

/** Holds the value while the event is delivered; afterwards the value is decoded from the entry. */
class CommitEvent implements StoreEvent {
  readonly type: StoreEvent["type"];
  readonly entry: StoreEntry;
  readonly previous: StoreEntry | undefined;
  #value: JsonObject | undefined;

  constructor(type: StoreEvent["type"], entry: StoreEntry, previous: StoreEntry | undefined, value: JsonObject) {
    this.type = type;
    this.entry = entry;
    this.previous = previous;
    this.#value = value;
  }

  get key(): string {
    return this.entry.key;
  }

  get revision(): number {
    return this.entry.revision;
  }

  get value(): JsonObject {
    return this.#value ?? this.entry.value;
  }

  markDelivered(): void {
    this.#value = undefined;
  }
}
