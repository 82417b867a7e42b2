import { eventLog } from "./event-log.ts";
import { freeze, stamp } from "./freeze.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { Compacted, type Entry, type Store, type StoreEvent } from "./store.ts";

export interface MemoryStoreOptions {
  /** How many past commits are kept for watches to resume from and for lists of an earlier state. */
  readonly history?: number | undefined;
}

/** A store in this process's memory. Commits are synchronous inside, so watchers see a change before its writer does. */
export function memoryStore({ history = 20_000 }: MemoryStoreOptions = {}): Store {
  // An empty etcd is at revision 1; clients treat 0 as "any".
  let revision = 1;
  const entries = new Map<string, Entry>();
  const keys = sortedKeys();
  const log = eventLog(history, revision);
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
        for (const listener of [...(watchers.get(prefix) ?? [])]) listener(event);
      }
    }
    delivering = false;
  };

  const commit = (event: StoreEvent) => {
    log.append(event);
    undelivered.push(event);
    deliver();
    if (waiting.length === 0) return;
    const done = waiting.filter((each) => each.revision <= revision);
    waiting = waiting.filter((each) => each.revision > revision);
    for (const each of done) each.resolve();
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

  return {
    currentRevision: () => revision,

    async get(key, at) {
      if (at === undefined || at >= revision) return entries.get(key);
      check(at);
      const then = undo(key, at);
      return then.has(key) ? then.get(key) : entries.get(key);
    },

    async range(prefix, { revision: at = revision, limit = Number.POSITIVE_INFINITY, fromKey: from = prefix } = {}) {
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
    },

    async txn(key, expect, change) {
      const previous = entries.get(key);
      if ((previous?.revision ?? 0) !== expect) return { ok: false, current: previous };
      if ("put" in change) {
        revision++;
        const entry = freeze({ key, value: stamp(change.put, revision), revision });
        if (previous === undefined) keys.add(key);
        entries.set(key, entry);
        commit({ type: "put", key, revision, value: entry.value, previous });
        return { ok: true, entry };
      }
      if (previous === undefined) return { ok: false, current: undefined };
      revision++;
      const entry = freeze({ key, value: stamp(previous.value, revision), revision });
      keys.delete(key);
      entries.delete(key);
      commit({ type: "delete", key, revision, value: entry.value, previous });
      return { ok: true, entry };
    },

    async watch(prefix, after, listener) {
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
    },

    reached(target, signal) {
      if (revision >= target || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const each = { revision: target, resolve };
        waiting.push(each);
        signal.addEventListener("abort", () => {
          waiting = waiting.filter((other) => other !== each);
          resolve();
        });
      });
    },

    async compact(upTo) {
      log.compact(Math.min(upTo, revision));
    },
  };
}

/** Every prefix of a key that ends in a slash, which is what watchers ask for. */
function* prefixes(key: string): IterableIterator<string> {
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) yield key.slice(0, at + 1);
}
