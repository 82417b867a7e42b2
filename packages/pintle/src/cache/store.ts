import type { Metadata } from "../kinds/index.ts";

/** Anything the API server stores. */
export interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}
/** The values under which an object is found in an index; none at all is fine. */
export type IndexKeys<T> = (object: T) => string | readonly string[] | undefined;

/** Most index entries hold one object, so a set is only made for the second. */
type Found<T> = T | Set<T>;

export interface Store<T extends Stored> {
  readonly size: number;
  get(namespace: string | undefined, name: string): T | undefined;
  /** Of one namespace, or everything. */
  list(namespace?: string): T[];
  by(index: string, key: string): T[];
  /** Gives back what was there before. */
  put(object: T): T | undefined;
  remove(object: T): void;
  /** Indexes what is there and what will be. Adding the same function again does nothing; another one under a known name throws. */
  index(name: string, keys: IndexKeys<T>): void;
  has(index: string): boolean;
}

/**
 * Objects of one kind by namespace and name, and by any number of indexes.
 * An index function that throws leaves that object out of that index and nothing else; `poisoned` hears of it.
 */
export function store<T extends Stored>(poisoned: (object: T, index: string, error: unknown) => void = () => {}): Store<T> {
  const spaces = new Map<string, Map<string, T>>();
  const indexes = new Map<string, { readonly keys: IndexKeys<T>; readonly found: Map<string, Found<T>> }>();
  let size = 0;

  const keysOf = (object: T, name: string, keys: IndexKeys<T>): readonly string[] => {
    try {
      const found = keys(object);
      return found === undefined ? [] : typeof found === "string" ? [found] : found;
    } catch (error) {
      poisoned(object, name, error);
      return [];
    }
  };
  const enter = (found: Map<string, Found<T>>, key: string, object: T) => {
    const known = found.get(key);
    if (known === undefined) found.set(key, object);
    else if (known instanceof Set) known.add(object);
    else if (known !== object) found.set(key, new Set([known, object]));
  };
  const leave = (found: Map<string, Found<T>>, key: string, object: T) => {
    const known = found.get(key);
    if (known === object) found.delete(key);
    else if (known instanceof Set && known.delete(object) && known.size === 0) found.delete(key);
  };
  const reindex = (object: T, change: typeof enter) => {
    for (const [name, { keys, found }] of indexes) for (const key of keysOf(object, name, keys)) change(found, key, object);
  };

  return {
    get size() {
      return size;
    },
    get: (namespace, name) => spaces.get(namespace ?? "")?.get(name),
    list(namespace) {
      if (namespace !== undefined) return [...(spaces.get(namespace)?.values() ?? [])];
      const objects: T[] = [];
      for (const space of spaces.values()) for (const object of space.values()) objects.push(object);
      return objects;
    },
    by(index, key) {
      const found = indexes.get(index)?.found.get(key);
      return found === undefined ? [] : found instanceof Set ? [...found] : [found];
    },
    put(object) {
      const { namespace = "", name } = object.metadata;
      let space = spaces.get(namespace);
      if (space === undefined) {
        space = new Map();
        spaces.set(namespace, space);
      }
      const old = space.get(name);
      if (old === undefined) size++;
      else reindex(old, leave);
      space.set(name, object);
      reindex(object, enter);
      return old;
    },
    remove(object) {
      const { namespace = "", name } = object.metadata;
      const space = spaces.get(namespace);
      const known = space?.get(name);
      if (space === undefined || known === undefined) return;
      space.delete(name);
      if (space.size === 0) spaces.delete(namespace);
      size--;
      reindex(known, leave);
    },
    index(name, keys) {
      const known = indexes.get(name);
      if (known !== undefined && known.keys !== keys) throw new Error(`index ${name} already exists with another function`);
      if (known !== undefined) return;
      const found = new Map<string, Found<T>>();
      indexes.set(name, { keys, found });
      for (const space of spaces.values())
        for (const object of space.values()) for (const key of keysOf(object, name, keys)) enter(found, key, object);
    },
    has: (index) => indexes.has(index),
  };
}
