import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { type Change, type Committed, type Entry, freeze } from "../store/index.ts";
import { apiVersionOf, type ResourceSchema, type ServedResource } from "./resource.ts";

/** An object as a version shows it. */
export interface Viewed {
  readonly object: JsonObject;
  /** Where the object is stored just as it is shown: its text is here, and need not be written again. */
  readonly entry?: Entry | undefined;
}

/** Between what is stored and what a version of a resource shows. Where an entry's value is at hand, it is given too. */
export interface Views {
  /** A stored object as this version shows it: converted, pruned and defaulted by its present schema. */
  of(resource: ServedResource, entry: Entry, value?: JsonObject): Promise<JsonObject>;
  all(resource: ServedResource, entries: readonly Entry[]): Promise<readonly JsonObject[]>;
  /** As `of`, when that needs no conversion that has to be waited for; else undefined. */
  now(resource: ServedResource, entry: Entry, value?: JsonObject): JsonObject | undefined;
  /** As `of`; an object that is stored as it is shown is put together only when somebody asks for it. */
  viewed(resource: ServedResource, entry: Entry, value?: JsonObject): Promise<Viewed>;
  /** Whether this version is known to show the entry as it is stored. */
  isAsStored(resource: ServedResource, entry: Entry): boolean;
  /** The other way: what to put into the store. */
  toStorage(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** An object of one version of a resource in another. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): Promise<JsonObject>;
  /** An object as it would be read again, had it been stored. */
  tried(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** A change for the store to what this resource wrote, which is in its present form already. */
  change(resource: ServedResource, object: JsonObject): Promise<Change>;
  /** What has become of such a change. */
  written(resource: ServedResource, committed: Committed): Promise<Viewed>;
}

/** An object that is put together only when somebody asks for it. */
export class AsStored implements Viewed {
  readonly entry: Entry;
  readonly #value: JsonObject | undefined;

  constructor(entry: Entry, value?: JsonObject) {
    this.entry = entry;
    this.#value = value;
  }

  get object(): JsonObject {
    return this.#value ?? this.entry.value;
  }
}

export function views(): Views {
  // By schema: when a CRD changes its own, everything is looked at afresh. So is what entries note: a schema that shows them as they are.
  const caches = new WeakMap<ResourceSchema, WeakMap<JsonObject, JsonObject>>();
  const cacheOf = ({ schema }: ServedResource) => {
    let cache = caches.get(schema);
    if (cache === undefined) {
      cache = new WeakMap();
      caches.set(schema, cache);
    }
    return cache;
  };
  const isAsStored: Views["isAsStored"] = ({ schema }, { note }) => note === schema;
  const shape = (resource: ServedResource, stored: JsonObject, converted: JsonObject): JsonObject => {
    const apiVersion = apiVersionOf(resource);
    const object = converted["apiVersion"] === apiVersion ? converted : { ...converted, apiVersion };
    const { object: known } = resource.schema.prune(object);
    // What a webhook left out stays out.
    return freeze(converted !== stored && resource.storage.conversion?.between !== undefined ? known : resource.schema.default(known));
  };
  const shaped = (resource: ServedResource, entry: Entry, stored: JsonObject, converted: JsonObject): JsonObject => {
    const view = shape(resource, stored, converted);
    if (equal(view, stored)) {
      entry.note = resource.schema;
      return stored;
    }
    cacheOf(resource).set(stored, view);
    return view;
  };
  const now: Views["now"] = (resource, entry, value = entry.value) => {
    if (isAsStored(resource, entry)) return value;
    const known = caches.get(resource.schema)?.get(value);
    if (known !== undefined) return known;
    return resource.storage.conversion === undefined ? shaped(resource, entry, value, value) : undefined;
  };
  const all: Views["all"] = async (resource, entries) => {
    const { conversion } = resource.storage;
    if (conversion === undefined) return entries.map((each) => now(resource, each) as JsonObject);
    const known = entries.map((each) => now(resource, each));
    const missing = entries.filter((_, index) => known[index] === undefined).map(({ value }) => value);
    if (missing.length === 0) return known as JsonObject[];
    const converted = await conversion.fromStorage(missing);
    let next = 0;
    return entries.map(
      (each, index) => known[index] ?? shaped(resource, each, missing[next] as JsonObject, converted[next++] as JsonObject),
    );
  };

  const of: Views["of"] = async (resource, entry, value = entry.value) => {
    if (isAsStored(resource, entry)) return value;
    const { conversion } = resource.storage;
    // One object is asked about every time, as by a real server: whoever mends a webhook sees it at once. Lists are kept.
    const asks = conversion?.between !== undefined && value["apiVersion"] !== apiVersionOf(resource);
    const known = asks ? undefined : now(resource, entry, value);
    if (known !== undefined || conversion === undefined) return known as JsonObject;
    return shaped(resource, entry, value, (await conversion.fromStorage([value]))[0] as JsonObject);
  };
  const viewed: Views["viewed"] = async (resource, entry, value) =>
    isAsStored(resource, entry) ? new AsStored(entry, value) : { object: await of(resource, entry, value) };
  const toStorage: Views["toStorage"] = async (resource, object) => {
    const { conversion, version } = resource.storage;
    if (conversion !== undefined) return conversion.toStorage(object);
    return version === resource.version ? object : { ...object, apiVersion: apiVersionOf({ group: resource.group, version }) };
  };

  /** What is to be noted of what this resource writes. */
  const noteOf = ({ schema, version, storage }: ServedResource) =>
    storage.conversion === undefined && storage.version === version ? schema : undefined;
  /** What this version would show of an object, had it been stored so. */
  const readAgain = async (resource: ServedResource, stored: JsonObject) => {
    const { conversion } = resource.storage;
    const needed = conversion !== undefined && (conversion.between === undefined || stored["apiVersion"] !== apiVersionOf(resource));
    return shape(resource, stored, needed ? ((await conversion.fromStorage([stored]))[0] as JsonObject) : stored);
  };

  return {
    now,
    all,
    of,
    viewed,
    isAsStored,
    toStorage,
    async tried(resource, object) {
      const asks = resource.storage.conversion?.between !== undefined && resource.storage.version !== resource.version;
      return asks ? readAgain(resource, await toStorage(resource, object)) : object;
    },
    async convert(object, from, to) {
      const apiVersion = apiVersionOf(to);
      if (apiVersionOf(from) === apiVersion) return object;
      const { conversion, inVersion } = from.storage;
      if (conversion?.between !== undefined) return (await conversion.between([object], apiVersion))[0] as JsonObject;
      if (!from.typed) return { ...object, apiVersion };
      if (from.group === to.group && inVersion !== undefined) return inVersion(object, to.version);
      return readAgain(to, await toStorage(from, object));
    },
    async change(resource, object) {
      return { put: await toStorage(resource, object), note: noteOf(resource) };
    },
    written(resource, { entry, value }) {
      // A store that heard of the change from elsewhere first does not know what it was told with it.
      entry.note ??= noteOf(resource);
      return viewed(resource, entry, value);
    },
  };
}

/** Key of one object. */
export function keyOf({ storage, scope }: ServedResource, namespace: string, name: string): string {
  return scope === "Namespaced" ? `${storage.prefix}/${namespace}/${name}` : `${storage.prefix}/${name}`;
}

/** Prefix of a collection; of all namespaces when none is given. */
export function prefixOf({ storage, scope }: ServedResource, namespace: string): string {
  return scope === "Namespaced" && namespace !== "" ? `${storage.prefix}/${namespace}/` : `${storage.prefix}/`;
}
