import { PintleError, runInBackground } from "../errors/index.ts";
import { createLabelMatcher, type LabelSelectorInput } from "../selectors/index.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { ChangeHandler, Informer, WatchHealth } from "./informer.ts";
import { OWNER_INDEX } from "./informer.ts";
import type { IndexFunction, StoredObject } from "./store.ts";

/** Read access to the synced store of one kind. Objects are frozen; returned lists belong to the caller. Throws `NotSynced` before the first list. */
export interface Lister<T> {
  /** Returns the object with this name, or `undefined`. */
  get(ref: { readonly name: string; readonly namespace?: string | undefined }): T | undefined;
  /** Returns all objects, or those of one namespace or label selector. */
  list(options?: { readonly namespace?: string | undefined; readonly labels?: LabelSelectorInput | undefined }): readonly T[];
  /** Returns the objects with an owner reference to this uid. */
  byOwner(uid: string): readonly T[];
  /** Returns the objects with this value in an index. Default: of all namespaces. */
  byIndex(index: string, value: string, options?: { readonly namespace?: string | undefined }): readonly T[];
}

/** A handle on a shared informer. The informer stops when all of its views are closed. */
export interface CachedView<T> extends Lister<T> {
  /** Adds an event handler. It receives the stored objects first, as "listed". Returns a function that removes it. */
  addEventHandler(handler: ChangeHandler<T>): () => void;
  /** Adds a listener that is called after every complete list, also an empty one. An optional kind becomes available this way. */
  onListed(listener: () => void): () => void;
  /** Adds an index. An object for which the function throws is left out of the index. Throws if the name has another function. */
  addIndex(name: string, keys: IndexFunction<T>): void;
  /** Resolves when the first list is complete and all handlers have received it; rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  readonly isSynced: boolean;
  /** Returns the health of the watch in each namespace. */
  health(): readonly WatchHealth[];
  /** Watches these namespaces instead, for all views that share the informer. */
  setNamespaces(namespaces: readonly string[]): Promise<void>;
  /** Removes the handlers of this view. The last view that is closed stops the informer. */
  close(): Promise<void>;
}

/** Creates a view of an informer; `release` is called when the view is closed. */
export function createCachedView<T extends StoredObject>(informer: Informer<T>, release: () => Promise<void>): CachedView<T> {
  const { store } = informer;
  const removers = new Set<() => void>();
  const freezeAll = (objects: T[]): readonly T[] => {
    for (const object of objects) deepFreeze(object);
    return objects;
  };
  return {
    get({ name, namespace }) {
      informer.assertSynced();
      return deepFreeze(store.get(namespace, name));
    },
    list({ namespace, labels } = {}) {
      informer.assertSynced();
      const objects = store.list(namespace);
      if (labels === undefined) return freezeAll(objects);
      const matcher = createLabelMatcher(labels);
      return freezeAll(objects.filter((object) => matcher.matches(object.metadata.labels)));
    },
    byOwner(uid) {
      informer.assertSynced();
      return freezeAll(store.byIndex(OWNER_INDEX, uid));
    },
    byIndex(index, value, { namespace } = {}) {
      informer.assertSynced();
      if (!store.hasIndex(index))
        throw new PintleError("PINTLE3105", `${informer.kind.kind} has no index ${index}: add it with addIndex()`);
      const found = store.byIndex(index, value);
      return freezeAll(namespace === undefined ? found : found.filter(({ metadata }) => metadata.namespace === namespace));
    },
    addEventHandler(handler) {
      const remove = informer.addHandler((change) => handler(freezeChange(change)));
      removers.add(remove);
      return () => {
        removers.delete(remove);
        remove();
      };
    },
    onListed(listener) {
      const remove = informer.onListed(listener);
      removers.add(remove);
      return remove;
    },
    addIndex: (name, keys) => informer.addIndex(name, keys),
    waitForSync(signal) {
      if (signal === undefined) return informer.waitForSync();
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        const synced = informer.waitForSync().then(() => {
          signal.removeEventListener("abort", abort);
          resolve();
        });
        runInBackground(synced, reject);
      });
    },
    get isSynced() {
      return informer.isSynced;
    },
    health: () => informer.health(),
    setNamespaces: (namespaces) => informer.setNamespaces(namespaces),
    async close() {
      for (const remove of removers) remove();
      removers.clear();
      await release();
    },
  };
}

function freezeChange<C extends { readonly old: unknown; readonly new: unknown }>(change: C): C {
  deepFreeze(change.old);
  deepFreeze(change.new);
  return change;
}
