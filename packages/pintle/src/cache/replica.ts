import { compareResourceVersions } from "../client/index.ts";
import type { Store, Stored } from "./store.ts";

/** What happened to one object. `old` and `new` are both there for a change; after a relist the last state before a deletion may be unknown. */
export interface Change<T> {
  readonly event: ChangeEvent;
  readonly old: T | undefined;
  readonly new: T | undefined;
  /** Who in this process wrote it, when its own write brought it here. */
  readonly origin?: unknown;
}
/** "listed": part of the first list; "missed": found changed or gone by a later list; the rest happened live. */
export type ChangeEvent = "listed" | "added" | "modified" | "deleted" | "missed";

export interface ReplicaOptions<T> {
  /** Does the object belong here? Undefined: only the server can tell. */
  readonly belongs?: ((object: T) => boolean | undefined) | undefined;
}

interface Pending {
  readonly uid: string;
  readonly version: string;
}

/** Deleted by us and not yet by the stream. */
interface Tombstone {
  readonly turn: number;
  readonly bookmarks: number;
}
/** After so many signs of progress a deletion that the stream never mentioned is forgotten: it was never ours to see. */
const TOMBSTONE_BOOKMARKS = 5;

const newer = (a: Stored, b: Stored) => compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0;
const keyOf = ({ metadata }: Stored) => `${metadata.namespace ?? ""}/${metadata.name}`;

/**
 * What the server has, as far as this process knows, own writes included.
 *
 * Guarantees: an object never goes back to an older version; an own write is visible from its answer on; a relist
 * that is older than an own write does not undo it; an own write that the server's stream passes by without showing
 * (it is outside the selector) goes again, and one that is answered only after the stream has passed it by changes
 * nothing: it removed the last finalizer, say; each operation is one step, so nobody sees half a list.
 * `part` is a namespace when each is followed by a stream of its own, otherwise undefined.
 */
export function replica<T extends Stored>(store: Store<T>, options: ReplicaOptions<T> = {}) {
  const belongs = options.belongs ?? (() => true);
  /** Own writes the stream has not shown yet. */
  const pending = new Map<string, Pending>();
  const tombstones = new Map<string, Tombstone>();
  const listedParts = new Set<string | undefined>();
  /** By part, how far the stream has told. */
  const told = new Map<string | undefined, string>();
  let turn = 0;
  let bookmarks = 0;

  const tell = (version: string, part: string | undefined) => {
    const before = told.get(part);
    if (before === undefined || compareResourceVersions(before, version) < 0) told.set(part, version);
  };
  const partOf = ({ metadata }: T) => (listedParts.has(undefined) ? undefined : metadata.namespace);
  const isPast = (object: T) => {
    const version = told.get(partOf(object));
    return version !== undefined && compareResourceVersions(object.metadata.resourceVersion, version) <= 0;
  };
  const inPart = (object: T, part: string | undefined) => part === undefined || object.metadata.namespace === part;
  const settle = (object: T) => {
    const own = pending.get(keyOf(object));
    if (own !== undefined && compareResourceVersions(own.version, object.metadata.resourceVersion) <= 0) pending.delete(keyOf(object));
  };
  /** The newer of what is known and what came; undefined when nothing is new. */
  const take = (object: T, event: ChangeEvent | undefined, origin?: unknown): Change<T> | undefined => {
    const old = store.get(object.metadata.namespace, object.metadata.name);
    if (old !== undefined && !newer(object, old)) return undefined;
    store.put(object);
    return { event: event ?? (old === undefined ? "added" : "modified"), old, new: object, ...(origin === undefined ? {} : { origin }) };
  };
  const drop = (object: T, event: ChangeEvent, origin?: unknown): Change<T> => {
    store.remove(object);
    return { event, old: object, new: undefined, ...(origin === undefined ? {} : { origin }) };
  };

  return {
    /** A number that says "now", to be taken before a list is asked for. */
    mark: (): number => ++turn,

    /** A complete list, asked for at `since`, at this version. */
    listed(items: readonly T[], version: string, since: number, part?: string): Change<T>[] {
      const event = listedParts.has(part) ? "missed" : "listed";
      listedParts.add(part);
      told.set(part, version);
      const changes: Change<T>[] = [];
      const names = new Set<string>();
      for (const item of items) {
        const grave = tombstones.get(item.metadata.uid);
        // A list asked for after the deletion was answered knows better than we do.
        if (grave !== undefined && grave.turn >= since) continue;
        tombstones.delete(item.metadata.uid);
        names.add(keyOf(item));
        settle(item);
        const change = take(item, event);
        if (change !== undefined) changes.push(change);
      }
      for (const object of store.list(part)) {
        if (names.has(keyOf(object))) continue;
        const own = pending.get(keyOf(object));
        if (own !== undefined && compareResourceVersions(own.version, version) > 0) continue;
        pending.delete(keyOf(object));
        changes.push(drop(object, "missed"));
      }
      for (const [uid, grave] of tombstones) if (grave.turn < since) tombstones.delete(uid);
      return changes;
    },

    /** One event of the stream. */
    seen(type: "ADDED" | "MODIFIED" | "DELETED", object: T): Change<T> | undefined {
      tell(object.metadata.resourceVersion, partOf(object));
      if (type !== "DELETED") {
        if (tombstones.has(object.metadata.uid)) return undefined;
        settle(object);
        return take(object, undefined);
      }
      tombstones.delete(object.metadata.uid);
      const known = store.get(object.metadata.namespace, object.metadata.name);
      if (known === undefined || (known.metadata.uid !== object.metadata.uid && newer(known, object))) return undefined;
      pending.delete(keyOf(object));
      store.remove(object);
      return { event: "deleted", old: object, new: undefined };
    },

    /** The stream has told everything up to this version. Own writes that it should have shown by now are not ours to keep. */
    reached(version: string, part?: string): Change<T>[] {
      tell(version, part);
      const changes: Change<T>[] = [];
      for (const [key, own] of pending) {
        // Written in about this order: what is left behind is found by the next sign of progress.
        if (compareResourceVersions(own.version, version) > 0) break;
        const at = key.indexOf("/");
        const object = store.get(key.slice(0, at), key.slice(at + 1));
        if (object !== undefined && !inPart(object, part)) continue;
        pending.delete(key);
        if (object?.metadata.uid === own.uid && object.metadata.resourceVersion === own.version) changes.push(drop(object, "missed"));
      }
      return changes;
    },

    /** As `reached`, said by the server of its own accord about once a minute. */
    bookmarked(version: string, part?: string): Change<T>[] {
      bookmarks++;
      for (const [uid, grave] of tombstones) if (bookmarks - grave.bookmarks > TOMBSTONE_BOOKMARKS) tombstones.delete(uid);
      return this.reached(version, part);
    },

    /** The answer to an own write. Enters only if it is newer than what is known and belongs here. */
    wrote(object: T, origin?: unknown): Change<T> | undefined {
      if (tombstones.has(object.metadata.uid)) return undefined;
      const known = store.get(object.metadata.namespace, object.metadata.name);
      const mine = belongs(object);
      if (mine === false && known?.metadata.uid === object.metadata.uid && newer(object, known)) return drop(known, "deleted", origin);
      if (mine !== true || (known === undefined && isPast(object))) return undefined;
      const change = take(object, undefined, origin);
      if (change !== undefined) pending.set(keyOf(object), { uid: object.metadata.uid, version: object.metadata.resourceVersion });
      return change;
    },

    /** An own deletion was answered: the object is gone. */
    erased(uid: string, namespace: string | undefined, name: string, origin?: unknown): Change<T> | undefined {
      const known = store.get(namespace, name);
      tombstones.set(uid, { turn, bookmarks });
      if (known?.metadata.uid !== uid) return undefined;
      pending.delete(keyOf(known));
      return drop(known, "deleted", origin);
    },

    /** The kind is no longer served, or this part no longer followed: everything in it is gone. */
    lost(part?: string): Change<T>[] {
      const changes = store.list(part).map((object) => drop(object, "missed"));
      for (const { old } of changes) pending.delete(keyOf(old!));
      listedParts.delete(part);
      told.delete(part);
      return changes;
    },

    /** Own writes waiting for the stream. */
    get ahead(): number {
      return pending.size + tombstones.size;
    },
  };
}
export type Replica<T extends Stored> = ReturnType<typeof replica<T>>;
