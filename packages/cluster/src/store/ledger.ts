import type { JsonObject } from "pintle/kinds";
import { eventLog } from "./event-log.ts";
import { freeze, stamp } from "./freeze.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { Compacted, type Entry, type Store, type StoreEvent, type StoreSnapshot } from "./store.ts";

export interface LedgerOptions {
  /** How many past commits are kept for watches to resume from and for lists of an earlier state. */
  readonly history?: number | undefined;
  /** How many bytes of what they replaced, about. */
  readonly historyBytes?: number | undefined;
  /** What is there to begin with, and as of which revision: an empty etcd is at 1, as clients treat 0 as "any". */
  readonly entries?: readonly Entry[] | undefined;
  readonly revision?: number | undefined;
  /** Instead of both: another ledger's state, with its history. */
  readonly from?: StoreSnapshot | undefined;
}

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
  /** `told` hears of what is kept before any watcher does. */
  put(key: string, value: JsonObject, revision: number, told?: (value: JsonObject) => void): Entry;
  /** The last value, stamped with the revision of the delete; undefined when the key holds nothing. */
  delete(key: string, revision: number): Entry | undefined;
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
  const entries = new Map(from?.entries);
  const keys = sortedKeys(from?.keys);
  for (const entry of first) {
    entries.set(entry.key, entry);
    keys.add(entry.key);
  }
  const log = eventLog({ events: history, bytes: historyBytes }, from?.oldest ?? revision, from?.history);
  let taken: StoreSnapshot | undefined = from;
  const watchers = new Map<string, Set<(event: StoreEvent) => void>>();
  let waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  // A listener may write: its commit waits until all have seen the one before.
  const undelivered: StoreEvent[] = [];
  let delivering = false;

  const deliver = () => {
    if (delivering) return;
    delivering = true;
    for (let event = undelivered.shift(); event !== undefined; event = undelivered.shift()) {
      for (const prefix of prefixes(event.key)) {
        // One that joins meanwhile is past this event, and one that leaves has seen enough.
        for (const listener of watchers.get(prefix) ?? []) listener(event);
      }
    }
    delivering = false;
  };

  const wake = () => {
    if (waiting.length === 0) return;
    const done = waiting.filter((each) => each.revision <= revision);
    waiting = waiting.filter((each) => each.revision > revision);
    for (const each of done) each.resolve();
  };

  const commit = (event: StoreEvent) => {
    revision = event.revision;
    log.append(event);
    undelivered.push(event);
    deliver();
    wake();
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

    put(key, value, at, told) {
      const previous = entries.get(key);
      const entry = freeze({ key, value: stamp(value, at), revision: at });
      if (previous === undefined) keys.add(key);
      entries.set(key, entry);
      told?.(entry.value);
      commit({ type: "put", key, revision: at, value: entry.value, previous });
      return entry;
    },

    delete(key, at) {
      const previous = entries.get(key);
      if (previous === undefined) return undefined;
      const entry = freeze({ key, value: stamp(previous.value, at), revision: at });
      keys.delete(key);
      entries.delete(key);
      commit({ type: "delete", key, revision: at, value: entry.value, previous });
      return entry;
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
