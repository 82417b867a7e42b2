import { frozen } from "./frozen.ts";
import type { Handler, Informer, WatchHealth } from "./informer.ts";
import { OWNER } from "./informer.ts";
import { type Labels, matcher } from "./selector.ts";
import type { IndexKeys, Stored } from "./store.ts";

/** Reads what is known of one kind, at once and without a request. Objects are frozen; lists are the caller's own. */
export interface Reader<T> {
  get(ref: { readonly name: string; readonly namespace?: string | undefined }): T | undefined;
  list(options?: { readonly namespace?: string | undefined; readonly labels?: Labels | undefined }): readonly T[];
  /** Objects with an owner reference to this uid. */
  owned(uid: string): readonly T[];
  /** Objects that the index files under this value, in all namespaces or in one. */
  by(index: string, value: string, options?: { readonly namespace?: string | undefined }): readonly T[];
}

/** A watch somebody asked for. The same watch asked for twice is one stream; it ends when every handle is closed. */
export interface View<T> extends Reader<T> {
  /** Every change from now on, after everything that is already known. Returns how to stop listening. */
  on(handler: Handler<T>): () => void;
  /** Called after every complete list, also one without objects: how an optional kind says that it is there now. */
  onListed(listener: () => void): () => void;
  /** Finds objects by what a function says of them. A function that throws for an object only hides that object from this index. */
  index(name: string, keys: IndexKeys<T>): void;
  /** Resolves when everything has been listed and all handlers have seen it; rejects with the signal's reason. */
  synced(signal?: AbortSignal): Promise<void>;
  readonly isSynced: boolean;
  health(): readonly WatchHealth[];
  /** Follows these namespaces instead, for everyone who shares the watch. */
  narrow(namespaces: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Label indexes are made when a label is first asked for, and by one function per label for all. */
export const labelIndex = (label: string) => `label ${label}`;

export function view<T extends Stored>(source: Informer<T>, release: () => Promise<void>): View<T> {
  const { store } = source;
  const listening = new Set<() => void>();
  const all = (objects: T[]): readonly T[] => {
    for (const object of objects) frozen(object);
    return objects;
  };
  return {
    get({ name, namespace }) {
      source.check();
      return frozen(store.get(namespace, name));
    },
    list({ namespace, labels } = {}) {
      source.check();
      const objects = store.list(namespace);
      if (labels === undefined) return all(objects);
      const wanted = matcher(labels);
      return all(objects.filter((object) => wanted.matches(object.metadata.labels)));
    },
    owned(uid) {
      source.check();
      return all(store.by(OWNER, uid));
    },
    by(index, value, { namespace } = {}) {
      source.check();
      if (!store.has(index)) throw new Error(`${source.kind.kind} has no index ${index}: add it with index()`);
      const found = store.by(index, value);
      return all(namespace === undefined ? found : found.filter(({ metadata }) => metadata.namespace === namespace));
    },
    on(handler) {
      const off = source.on((change) => handler(frozenChange(change)));
      listening.add(off);
      return () => {
        listening.delete(off);
        off();
      };
    },
    onListed(listener) {
      const off = source.onListed(listener);
      listening.add(off);
      return off;
    },
    index: (name, keys) => source.index(name, keys),
    synced(signal) {
      if (signal === undefined) return source.whenSynced();
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        void source.whenSynced().then(() => {
          signal.removeEventListener("abort", abort);
          resolve();
        });
      });
    },
    get isSynced() {
      return source.synced;
    },
    health: () => source.health(),
    narrow: (namespaces) => source.narrow(namespaces),
    async close() {
      for (const off of listening) off();
      listening.clear();
      await release();
    },
  };
}

function frozenChange<C extends { readonly old: unknown; readonly new: unknown }>(change: C): C {
  frozen(change.old);
  frozen(change.new);
  return change;
}
