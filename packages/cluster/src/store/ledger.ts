import type { JsonObject } from "pintle/kinds";
import { eventLog } from "./event-log.ts";
import { stamp } from "./freeze.ts";
import { Shelf } from "./shelf.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { type Committed, Compacted, type Entry, type Store, type StoreEvent, type StoreSnapshot } from "./store.ts";

export interface LedgerOptions {
  /** How many past commits are kept for watches to resume from and for lists of an earlier state. */
  readonly history?: number | undefined;
  /** How many bytes of what they replaced, about. */
  readonly historyBytes?: number | undefined;
  /** What is there to begin with, and as of which revision: an empty etcd is at 1, as clients treat 0 as "any". */
  readonly entries?: readonly Loaded[] | undefined;
  readonly revision?: number | undefined;
  /** Instead of both: another ledger's state, with its history. */
  readonly from?: StoreSnapshot | undefined;
}

/** What a backend found. */
export type Loaded = Pick<Entry, "key" | "value" | "revision">;

/**
 * What keys hold and held, and who follows them, in memory: what every backend answers reads and watches from. A backend
 * decides which changes happen, and tells them in the order of their revisions.
 */
export interface Ledger {
  /** What a backend hands on as it is. */
  readonly reads: Omit<Store, "txn" | "fresh" | "close">;
  revision(): number;
  entry(key: string): Entry | undefined;
  /** Every entry, in no order that matters. */
  all(): readonly Entry[];
  put(key: string, value: JsonObject, revision: number, note?: object): Committed;
  /** The last value, stamped with the revision of the delete; undefined when the key holds nothing. */
  delete(key: string, revision: number): Committed | undefined;
  /** What is known to be so, but not to the ledger. */
  aside(key: string, value: JsonObject, revision: number): Committed;
  /** Nothing that is kept here changed up to this revision. */
  advance(revision: number): void;
}

const MEGABYTE = 1024 * 1024;

export function ledger({
  history = 20_000,
  historyBytes = 256 * MEGABYTE,
  entries: first = [],
  revision: start = 1,
  from,
}: LedgerOptions = {}): Ledger {
  let revision = from?.revision ?? start;
  const shelf = new Shelf();
  const entries = new Map(from?.entries);
  const keys = sortedKeys(from?.keys);
  for (const { key, value, revision: at } of first) {
    entries.set(key, shelf.put(key, at, stamp(value, at), undefined));
    keys.add(key);
  }
  const forget = ({ type, entry, previous }: StoreEvent) => {
    if (previous !== undefined) shelf.release(previous);
    if (type === "delete") shelf.release(entry);
  };
  const log = eventLog({ events: history, bytes: historyBytes, forget }, from?.oldest ?? revision, from?.history);
  let taken: StoreSnapshot | undefined = from;
  const watchers = new Map<string, Set<(event: StoreEvent) => void>>();
  let waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  // A listener may write: its commit waits until all have seen the one before.
  const undelivered: Commit[] = [];
  let delivering = false;

  const deliver = () => {
    if (delivering) return;
    delivering = true;
    for (let event = undelivered.shift(); event !== undefined; event = undelivered.shift()) {
      for (const prefix of prefixes(event.key)) {
        // One that joins meanwhile is past this event, and one that leaves has seen enough.
        for (const listener of watchers.get(prefix) ?? []) listener(event);
      }
      event.told();
      if (event.previous !== undefined) shelf.replaced(event.previous);
    }
    delivering = false;
  };

  const wake = () => {
    if (waiting.length === 0) return;
    const done = waiting.filter((each) => each.revision <= revision);
    waiting = waiting.filter((each) => each.revision > revision);
    for (const each of done) each.resolve();
  };

  const commit = (type: StoreEvent["type"], entry: Entry, value: JsonObject, previous: Entry | undefined): Committed => {
    const event = new Commit(type, entry, previous, value);
    revision = event.revision;
    log.append(event);
    undelivered.push(event);
    deliver();
    wake();
    return { ok: true, entry, value };
  };

  const check = (at: number) => {
    if (at < log.oldest()) throw new Compacted(at, log.oldest());
  };

  /** What differed at revision `at` from now, under `prefix`: undefined means the key was not there. */
  const undo = (prefix: string, at: number): Map<string, Entry | undefined> => {
    const then = new Map<string, Entry | undefined>();
    for (const event of log.after(at)) {
      if (event.key.startsWith(prefix) && !then.has(event.key)) then.set(event.key, event.previous);
    }
    return then;
  };

  const get: Store["get"] = async (key, at) => {
    if (at === undefined || at >= revision) return entries.get(key);
    check(at);
    const then = undo(key, at);
    return then.has(key) ? then.get(key) : entries.get(key);
  };

  const range: Store["range"] = async (
    prefix,
    { revision: at = revision, limit = Number.POSITIVE_INFINITY, fromKey: from = prefix } = {},
  ) => {
    check(at);
    const found: Entry[] = [];
    let remaining = 0;
    const take = (entry: Entry) => {
      if (found.length < limit) found.push(entry);
      else remaining++;
    };
    if (at >= revision) {
      for (const key of keys.from(from)) {
        if (!key.startsWith(prefix)) break;
        take(entries.get(key) as Entry);
      }
      return { entries: found, revision: at, remaining };
    }
    const then = undo(prefix, at);
    const past: Entry[] = [];
    for (const key of keys.from(from)) {
      if (!key.startsWith(prefix)) break;
      if (!then.has(key)) past.push(entries.get(key) as Entry);
    }
    for (const [key, entry] of then) if (entry !== undefined && key >= from) past.push(entry);
    for (const entry of past.sort((a, b) => (a.key < b.key ? -1 : 1))) take(entry);
    return { entries: found, revision: at, remaining };
  };

  const watch: Store["watch"] = async (prefix, after, listener) => {
    check(after);
    // Past this: not seen by the replay, and not before a revision that is still to come.
    const floor = Math.max(after, revision);
    for (const event of log.after(after)) if (event.key.startsWith(prefix)) listener(event);
    const guarded = (event: StoreEvent) => {
      if (event.revision > floor) listener(event);
    };
    const listeners = watchers.get(prefix) ?? new Set();
    watchers.set(prefix, listeners.add(guarded));
    return () => {
      listeners.delete(guarded);
      if (listeners.size === 0 && watchers.get(prefix) === listeners) watchers.delete(prefix);
    };
  };

  const reached: Store["reached"] = (target, signal) => {
    if (revision >= target || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const each = { revision: target, resolve };
      waiting.push(each);
      signal.addEventListener("abort", () => {
        waiting = waiting.filter((other) => other !== each);
        resolve();
      });
    });
  };

  const compact: Store["compact"] = async (upTo) => {
    log.compact(Math.min(upTo, revision));
  };

  const snapshot: Store["snapshot"] = () => {
    if (taken?.revision !== revision || taken.oldest !== log.oldest()) {
      taken = { revision, entries: new Map(entries), keys: keys.all(), history: log.all(), oldest: log.oldest() };
    }
    return taken;
  };

  return {
    reads: { currentRevision: () => revision, get, range, watch, reached, compact, snapshot },
    revision: () => revision,
    entry: (key) => entries.get(key),
    all: () => [...entries.values()],

    put(key, value, at, note) {
      const previous = entries.get(key);
      const stamped = stamp(value, at);
      const entry = shelf.put(key, at, stamped, note);
      if (previous === undefined) keys.add(key);
      entries.set(key, entry);
      return commit("put", entry, stamped, previous);
    },

    delete(key, at) {
      const previous = entries.get(key);
      if (previous === undefined) return undefined;
      const stamped = stamp(previous.value, at);
      const entry = shelf.put(key, at, stamped, previous.note);
      keys.delete(key);
      entries.delete(key);
      return commit("delete", entry, stamped, previous);
    },

    aside(key, value, at) {
      const stamped = stamp(value, at);
      const entry = shelf.put(key, at, stamped, undefined);
      shelf.release(entry);
      return { ok: true, entry, value: stamped };
    },

    advance(to) {
      if (to <= revision) return;
      revision = to;
      wake();
    },
  };
}

/** Every prefix of a key that ends in a slash, which is what watchers ask for. */
function* prefixes(key: string): IterableIterator<string> {
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) yield key.slice(0, at + 1);
}

/** While it is told, the value is at hand; afterwards only its text is. */
class Commit implements StoreEvent {
  readonly type: StoreEvent["type"];
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  #value: JsonObject | undefined;

  constructor(type: StoreEvent["type"], entry: Entry, previous: Entry | undefined, value: JsonObject) {
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

  told(): void {
    this.#value = undefined;
  }
}
