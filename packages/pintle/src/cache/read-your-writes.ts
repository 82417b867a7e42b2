import { compareResourceVersions } from "../client/index.ts";
import type { Store, StoredObject } from "./store.ts";

/** A change of one object. `old` is missing for a new object, `new` for a deleted one. After a relist, `old` of a deleted object can be outdated. */
export interface ObjectChange<T> {
  readonly event: ObjectChangeType;
  readonly old: T | undefined;
  readonly new: T | undefined;
  /** The `origin` passed with an own write, if the write's response changed the store before the watch event. */
  readonly origin?: unknown;
}
/** "listed": partition of the first list; "missed": found changed or deleted by a relist; the others come from the watch or an own write. */
export type ObjectChangeType = "listed" | "added" | "modified" | "deleted" | "missed";

export interface ReadYourWritesOptions<T> {
  /** Returns whether an object is in scope; `undefined`: only the API server can decide (field selectors). Default: always true. */
  readonly belongsToScope?: ((object: T) => boolean | undefined) | undefined;
}

interface PendingWrite {
  readonly uid: string;
  readonly version: string;
}

/** An own delete whose watch event has not arrived yet. */
interface Tombstone {
  readonly listMark: number;
  readonly bookmarks: number;
}
/** A tombstone is dropped after this many bookmarks: the watch never showed the object, so it was outside the selector. */
const TOMBSTONE_BOOKMARKS = 5;

const isNewer = (a: StoredObject, b: StoredObject) => compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0;
const toKey = ({ metadata }: StoredObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

/**
 * Merges lists, watch events and own writes into a store: read-your-writes.
 *
 * ## Guarantees
 *
 * - An object never goes back to an older version.
 * - An own write is visible from its response on, and a list older than the write does not undo it.
 * - An own write that the watch passes without showing (it is outside the selector) is removed again.
 * - An own write whose response arrives after the watch has passed its version changes nothing, for example the removal of the last finalizer.
 * - Each operation is synchronous: a reader never sees half a list.
 *
 * `partition` is a namespace where each namespace has its own watch, otherwise `undefined`.
 */
export function createReadYourWritesStore<T extends StoredObject>(store: Store<T>, options: ReadYourWritesOptions<T> = {}) {
  const belongs = options.belongsToScope ?? (() => true);
  /** Own writes whose watch event has not arrived yet. */
  const pending = new Map<string, PendingWrite>();
  const tombstones = new Map<string, Tombstone>();
  const listedPartitions = new Set<string | undefined>();
  /** The last version that the watch of each partition has delivered. */
  const observedVersions = new Map<string | undefined, string>();
  let listMark = 0;
  let bookmarks = 0;

  const observeVersion = (version: string, partition: string | undefined) => {
    const before = observedVersions.get(partition);
    if (before === undefined || compareResourceVersions(before, version) < 0) observedVersions.set(partition, version);
  };
  const partitionOf = ({ metadata }: T) => (listedPartitions.has(undefined) ? undefined : metadata.namespace);
  const isAlreadyObserved = (object: T) => {
    const version = observedVersions.get(partitionOf(object));
    return version !== undefined && compareResourceVersions(object.metadata.resourceVersion, version) <= 0;
  };
  const isInPartition = (object: T, partition: string | undefined) => partition === undefined || object.metadata.namespace === partition;
  const confirmWrite = (object: T) => {
    const own = pending.get(toKey(object));
    if (own !== undefined && compareResourceVersions(own.version, object.metadata.resourceVersion) <= 0) pending.delete(toKey(object));
  };
  /** Stores the object if it is newer than the stored one; returns `undefined` if not. */
  const putIfNewer = (object: T, event: ObjectChangeType | undefined, origin?: unknown): ObjectChange<T> | undefined => {
    const old = store.get(object.metadata.namespace, object.metadata.name);
    if (old !== undefined && !isNewer(object, old)) return undefined;
    store.put(object);
    return { event: event ?? (old === undefined ? "added" : "modified"), old, new: object, ...(origin === undefined ? {} : { origin }) };
  };
  const removeObject = (object: T, event: ObjectChangeType, origin?: unknown): ObjectChange<T> => {
    store.delete(object);
    return { event, old: object, new: undefined, ...(origin === undefined ? {} : { origin }) };
  };

  return {
    /** Returns a mark for `applyList`; to be called before the list is requested. */
    beginList: (): number => ++listMark,

    /** Applies a complete list at this version that was requested after the mark `since`. */
    applyList(items: readonly T[], version: string, since: number, partition?: string): ObjectChange<T>[] {
      const event = listedPartitions.has(partition) ? "missed" : "listed";
      listedPartitions.add(partition);
      observedVersions.set(partition, version);
      const changes: ObjectChange<T>[] = [];
      const names = new Set<string>();
      for (const item of items) {
        const tombstone = tombstones.get(item.metadata.uid);
        // Only a list requested after the delete was acknowledged can contain a retained object.
        if (tombstone !== undefined && tombstone.listMark >= since) continue;
        tombstones.delete(item.metadata.uid);
        names.add(toKey(item));
        confirmWrite(item);
        const change = putIfNewer(item, event);
        if (change !== undefined) changes.push(change);
      }
      for (const object of store.list(partition)) {
        if (names.has(toKey(object))) continue;
        const own = pending.get(toKey(object));
        if (own !== undefined && compareResourceVersions(own.version, version) > 0) continue;
        pending.delete(toKey(object));
        changes.push(removeObject(object, "missed"));
      }
      for (const [uid, tombstone] of tombstones) if (tombstone.listMark < since) tombstones.delete(uid);
      return changes;
    },

    /** Applies a watch event. */
    applyEvent(type: "ADDED" | "MODIFIED" | "DELETED", object: T): ObjectChange<T> | undefined {
      observeVersion(object.metadata.resourceVersion, partitionOf(object));
      if (type !== "DELETED") {
        if (tombstones.has(object.metadata.uid)) return undefined;
        confirmWrite(object);
        return putIfNewer(object, undefined);
      }
      tombstones.delete(object.metadata.uid);
      const known = store.get(object.metadata.namespace, object.metadata.name);
      if (known === undefined || (known.metadata.uid !== object.metadata.uid && isNewer(known, object))) return undefined;
      pending.delete(toKey(object));
      store.delete(object);
      return { event: "deleted", old: object, new: undefined };
    },

    /** The watch has delivered everything up to this version: removes own writes that it should have shown by now. */
    applyProgress(version: string, partition?: string): ObjectChange<T>[] {
      observeVersion(version, partition);
      const changes: ObjectChange<T>[] = [];
      for (const [key, own] of pending) {
        // Insertion order is close to version order: an entry skipped here is found by the next progress.
        if (compareResourceVersions(own.version, version) > 0) break;
        const at = key.indexOf("/");
        const object = store.get(key.slice(0, at), key.slice(at + 1));
        if (object !== undefined && !isInPartition(object, partition)) continue;
        pending.delete(key);
        if (object?.metadata.uid === own.uid && object.metadata.resourceVersion === own.version)
          changes.push(removeObject(object, "missed"));
      }
      return changes;
    },

    /** Like `applyProgress`, for a bookmark, which the API server sends about once a minute. */
    applyBookmark(version: string, partition?: string): ObjectChange<T>[] {
      bookmarks++;
      for (const [uid, tombstone] of tombstones) if (bookmarks - tombstone.bookmarks > TOMBSTONE_BOOKMARKS) tombstones.delete(uid);
      return this.applyProgress(version, partition);
    },

    /** Applies the response to an own write, if it is newer than the stored object and in scope. */
    applyOwnWrite(object: T, origin?: unknown): ObjectChange<T> | undefined {
      if (tombstones.has(object.metadata.uid)) return undefined;
      const known = store.get(object.metadata.namespace, object.metadata.name);
      const isInScope = belongs(object);
      if (isInScope === false && known?.metadata.uid === object.metadata.uid && isNewer(object, known))
        return removeObject(known, "deleted", origin);
      if (isInScope !== true || (known === undefined && isAlreadyObserved(object))) return undefined;
      const change = putIfNewer(object, undefined, origin);
      if (change !== undefined) pending.set(toKey(object), { uid: object.metadata.uid, version: object.metadata.resourceVersion });
      return change;
    },

    /** Applies an acknowledged own delete of an object that no longer exists. */
    applyOwnDelete(uid: string, namespace: string | undefined, name: string, origin?: unknown): ObjectChange<T> | undefined {
      const known = store.get(namespace, name);
      tombstones.set(uid, { listMark, bookmarks });
      if (known?.metadata.uid !== uid) return undefined;
      pending.delete(toKey(known));
      return removeObject(known, "deleted", origin);
    },

    /** Removes all objects of a partition: the kind is no longer served, or the namespace no longer watched. */
    clear(partition?: string): ObjectChange<T>[] {
      const changes = store.list(partition).map((object) => removeObject(object, "missed"));
      for (const { old } of changes) pending.delete(toKey(old!));
      listedPartitions.delete(partition);
      observedVersions.delete(partition);
      return changes;
    },

    /** Number of own writes and deletes whose watch event has not arrived yet. */
    get pendingWrites(): number {
      return pending.size + tombstones.size;
    },
  };
}
export type ReadYourWritesStore<T extends StoredObject> = ReturnType<typeof createReadYourWritesStore<T>>;
