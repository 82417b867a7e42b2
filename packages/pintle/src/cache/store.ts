import { PintleError } from "../errors/index.ts";
import type { Metadata } from "../kinds/index.ts";

/** Any object of the API. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}
/** Returns the values of an object in an index; `undefined` or an empty list: the object is not in the index. */
export type IndexFunction<T> = (object: T) => string | readonly string[] | undefined;

/** Most index entries hold one object: a set is created for the second. */
type IndexEntry<T> = T | Set<T>;

/** Objects of one kind by namespace and name, with indexes. */
export interface Store<T extends StoredObject> {
  readonly size: number;
  get(namespace: string | undefined, name: string): T | undefined;
  /** Returns the objects of one namespace, or all. */
  list(namespace?: string): T[];
  byIndex(index: string, key: string): T[];
  /** Stores an object and returns the one it replaced. */
  put(object: T): T | undefined;
  delete(object: T): void;
  /** Adds an index over present and future objects. Adding the same function again does nothing; another function under the same name throws. */
  addIndex(name: string, keys: IndexFunction<T>): void;
  hasIndex(index: string): boolean;
}

/** Creates a store. When an index function throws, `onIndexError` is called and the object is left out of that index. */
export function createStore<T extends StoredObject>(onIndexError: (object: T, index: string, error: unknown) => void = () => {}): Store<T> {
  const namespaces = new Map<string, Map<string, T>>();
  const indexes = new Map<string, { readonly keys: IndexFunction<T>; readonly found: Map<string, IndexEntry<T>> }>();
  let size = 0;

  const keysOf = (object: T, name: string, keys: IndexFunction<T>): readonly string[] => {
    try {
      const found = keys(object);
      return found === undefined ? [] : typeof found === "string" ? [found] : found;
    } catch (error) {
      onIndexError(object, name, error);
      return [];
    }
  };
  const addEntry = (found: Map<string, IndexEntry<T>>, key: string, object: T) => {
    const known = found.get(key);
    if (known === undefined) found.set(key, object);
    else if (known instanceof Set) known.add(object);
    else if (known !== object) found.set(key, new Set([known, object]));
  };
  const removeEntry = (found: Map<string, IndexEntry<T>>, key: string, object: T) => {
    const known = found.get(key);
    if (known === object) found.delete(key);
    else if (known instanceof Set && known.delete(object) && known.size === 0) found.delete(key);
  };
  const reindex = (object: T, change: typeof addEntry) => {
    for (const [name, { keys, found }] of indexes) for (const key of keysOf(object, name, keys)) change(found, key, object);
  };

  return {
    get size() {
      return size;
    },
    get: (namespace, name) => namespaces.get(namespace ?? "")?.get(name),
    list(namespace) {
      if (namespace !== undefined) return [...(namespaces.get(namespace)?.values() ?? [])];
      const objects: T[] = [];
      for (const space of namespaces.values()) for (const object of space.values()) objects.push(object);
      return objects;
    },
    byIndex(index, key) {
      const found = indexes.get(index)?.found.get(key);
      return found === undefined ? [] : found instanceof Set ? [...found] : [found];
    },
    put(object) {
      const { namespace = "", name } = object.metadata;
      let space = namespaces.get(namespace);
      if (space === undefined) {
        space = new Map();
        namespaces.set(namespace, space);
      }
      const old = space.get(name);
      if (old === undefined) size++;
      else reindex(old, removeEntry);
      space.set(name, object);
      reindex(object, addEntry);
      return old;
    },
    delete(object) {
      const { namespace = "", name } = object.metadata;
      const space = namespaces.get(namespace);
      const known = space?.get(name);
      if (space === undefined || known === undefined) return;
      space.delete(name);
      if (space.size === 0) namespaces.delete(namespace);
      size--;
      reindex(known, removeEntry);
    },
    addIndex(name, keys) {
      const known = indexes.get(name);
      if (known !== undefined && known.keys !== keys)
        throw new PintleError("PINTLE3104", `index ${name} already exists with another function`);
      if (known !== undefined) return;
      const found = new Map<string, IndexEntry<T>>();
      indexes.set(name, { keys, found });
      for (const space of namespaces.values())
        for (const object of space.values()) for (const key of keysOf(object, name, keys)) addEntry(found, key, object);
    },
    hasIndex: (index) => indexes.has(index),
  };
}
