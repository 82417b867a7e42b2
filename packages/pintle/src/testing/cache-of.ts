import { type Cache, type Handler, type IndexKeys, matcher, type Stored, type View } from "../cache/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { keyOf, type Objects, type Ref } from "./objects.ts";

/** A cache that is never behind: it reads the objects themselves, and tells of changes when it is asked to look. */
export function cacheOf(objects: Objects): Cache & { look(kind: KindFacts, ref: Ref, origin?: unknown): boolean } {
  const handlers = new Map<string, Set<Handler<any>>>();
  const indexes = new Map<string, Map<string, IndexKeys<any>>>();
  /** What everyone has been told of. */
  const shown = new Map<string, Stored>();
  const listening = (kind: KindFacts) => {
    const known = handlers.get(kind.id) ?? new Set();
    handlers.set(kind.id, known);
    return known;
  };

  const look = (kind: KindFacts, ref: Ref, origin?: unknown): boolean => {
    const key = `${kind.id} ${keyOf(ref)}`;
    const old = shown.get(key);
    const now = objects.find(kind, ref);
    if (old === now) return false;
    if (now === undefined) shown.delete(key);
    else shown.set(key, now);
    const event = old === undefined ? "added" : now === undefined ? "deleted" : "modified";
    for (const handler of listening(kind)) handler({ event, old, new: now, ...(origin === undefined ? {} : { origin }) });
    return true;
  };
  const view = (kind: KindFacts): View<any> => {
    const mine = indexes.get(kind.id) ?? new Map<string, IndexKeys<any>>();
    indexes.set(kind.id, mine);
    const keys = (index: string, object: Stored) => {
      const found = mine.get(index)?.(object) ?? [];
      return typeof found === "string" ? [found] : found;
    };
    return {
      get: (ref) => objects.find(kind, ref),
      list({ namespace, labels } = {}) {
        const wanted = matcher(labels ?? {});
        return objects
          .list(kind)
          .filter(({ metadata }) => (namespace === undefined || metadata.namespace === namespace) && wanted.matches(metadata.labels));
      },
      owned: (uid) => objects.list(kind).filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)),
      by: (index, value, { namespace } = {}) =>
        objects
          .list(kind)
          .filter((object) => (namespace === undefined || object.metadata.namespace === namespace) && keys(index, object).includes(value)),
      on(handler) {
        listening(kind).add(handler);
        for (const object of objects.list(kind)) {
          shown.set(`${kind.id} ${keyOf(object.metadata)}`, object);
          handler({ event: "listed", old: undefined, new: object });
        }
        return () => listening(kind).delete(handler);
      },
      onListed: () => () => {},
      index: (name, of) => void mine.set(name, of),
      synced: async () => {},
      isSynced: true,
      health: () => [],
      narrow: async () => {},
      close: async () => {},
    };
  };
  return {
    look,
    watch: (kind) => view(kind),
    read: (kind) => view(kind),
    wrote: (kind, object, origin) => look(kind, (object as Stored).metadata, origin),
    known: (kind, ref) => objects.find(kind, ref)?.metadata,
    erased: (kind, ref, _, origin) => void look(kind, ref, origin),
    health: () => [],
    stop: async () => {},
  };
}
