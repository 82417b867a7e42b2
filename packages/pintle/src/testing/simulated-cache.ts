import type { Cache, CachedView, ChangeHandler, IndexFunction, StoredObject } from "../cache/index.ts";
import type { NamespacedName } from "../controller/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import { createLabelMatcher } from "../selectors/index.ts";
import { type SimulatedStore, toKey } from "./simulated-store.ts";

/** Creates a cache that reads the simulated store directly; `notifyChange` passes the change of an object to the handlers. */
export function createSimulatedCache(
  objects: SimulatedStore,
): Cache & { notifyChange(kind: KindInfo, ref: NamespacedName, origin?: unknown): boolean } {
  const handlers = new Map<string, Set<ChangeHandler<any>>>();
  const indexes = new Map<string, Map<string, IndexFunction<any>>>();
  /** The last object that the handlers were notified of, by key. */
  const notified = new Map<string, StoredObject>();
  const handlersOf = (kind: KindInfo) => {
    const known = handlers.get(kind.id) ?? new Set();
    handlers.set(kind.id, known);
    return known;
  };

  const notifyChange = (kind: KindInfo, ref: NamespacedName, origin?: unknown): boolean => {
    const key = `${kind.id} ${toKey(ref)}`;
    const old = notified.get(key);
    const now = objects.find(kind, ref);
    if (old === now) return false;
    if (now === undefined) notified.delete(key);
    else notified.set(key, now);
    const event = old === undefined ? "added" : now === undefined ? "deleted" : "modified";
    for (const handler of handlersOf(kind)) handler({ event, old, new: now, ...(origin === undefined ? {} : { origin }) });
    return true;
  };
  const view = (kind: KindInfo): CachedView<any> => {
    const kindIndexes = indexes.get(kind.id) ?? new Map<string, IndexFunction<any>>();
    indexes.set(kind.id, kindIndexes);
    const keys = (index: string, object: StoredObject) => {
      const found = kindIndexes.get(index)?.(object) ?? [];
      return typeof found === "string" ? [found] : found;
    };
    return {
      get: (ref) => objects.find(kind, ref),
      list({ namespace, labels } = {}) {
        const matcher = createLabelMatcher(labels ?? {});
        return objects
          .list(kind)
          .filter(({ metadata }) => (namespace === undefined || metadata.namespace === namespace) && matcher.matches(metadata.labels));
      },
      byOwner: (uid) => objects.list(kind).filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)),
      byIndex: (index, value, { namespace } = {}) =>
        objects
          .list(kind)
          .filter((object) => (namespace === undefined || object.metadata.namespace === namespace) && keys(index, object).includes(value)),
      addEventHandler(handler) {
        handlersOf(kind).add(handler);
        for (const object of objects.list(kind)) {
          notified.set(`${kind.id} ${toKey(object.metadata)}`, object);
          handler({ event: "listed", old: undefined, new: object });
        }
        return () => handlersOf(kind).delete(handler);
      },
      onListed: () => () => {},
      addIndex: (name, of) => void kindIndexes.set(name, of),
      waitForSync: async () => {},
      isSynced: true,
      health: () => [],
      setNamespaces: async () => {},
      close: async () => {},
    };
  };
  return {
    notifyChange,
    watch: (kind) => view(kind),
    getLister: (kind) => view(kind),
    recordWrite: (kind, object, origin) => notifyChange(kind, (object as StoredObject).metadata, origin),
    getVersion: (kind, ref) => objects.find(kind, ref)?.metadata,
    recordDelete: (kind, ref, _, origin) => void notifyChange(kind, ref, origin),
    health: () => [],
    stop: async () => {},
  };
}
