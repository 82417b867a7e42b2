import type { JsonObject } from "pintle/kinds";
import { type Change, freeze } from "../store/index.ts";
import { apiVersionOf, type ResourceSchema, type ServedResource } from "./resource.ts";

/** Between what is stored and what a version of a resource shows. */
export interface Views {
  /** A stored object as this version shows it: converted, pruned and defaulted by its present schema. */
  of(resource: ServedResource, stored: JsonObject): Promise<JsonObject>;
  all(resource: ServedResource, stored: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  /** As `of`, when that needs no conversion that has to be waited for; else undefined. */
  now(resource: ServedResource, stored: JsonObject): JsonObject | undefined;
  /** The other way: what to put into the store. */
  toStorage(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** An object of one version of a resource in another. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): Promise<JsonObject>;
  /** An object as it would be read again, had it been stored. */
  tried(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** What was just written through this resource is in its present form already. */
  remember(resource: ServedResource, stored: JsonObject): void;
  /** A change for the store to what this resource wrote: it is remembered before any watcher asks for it. */
  change(resource: ServedResource, object: JsonObject): Promise<Change>;
}

export function views(): Views {
  // By schema: when a CRD changes its own, everything is looked at afresh.
  const caches = new WeakMap<ResourceSchema, WeakMap<JsonObject, JsonObject>>();
  const cacheOf = ({ schema }: ServedResource) => {
    let cache = caches.get(schema);
    if (cache === undefined) {
      cache = new WeakMap();
      caches.set(schema, cache);
    }
    return cache;
  };
  const shaped = (resource: ServedResource, stored: JsonObject, converted: JsonObject): JsonObject => {
    const apiVersion = apiVersionOf(resource);
    const object = converted["apiVersion"] === apiVersion ? converted : { ...converted, apiVersion };
    const { object: known } = resource.schema.prune(object);
    // What a webhook left out stays out.
    const view = freeze(
      converted !== stored && resource.storage.conversion?.between !== undefined ? known : resource.schema.default(known),
    );
    cacheOf(resource).set(stored, view);
    return view;
  };
  const now: Views["now"] = (resource, stored) => {
    const known = caches.get(resource.schema)?.get(stored);
    if (known !== undefined) return known;
    return resource.storage.conversion === undefined ? shaped(resource, stored, stored) : undefined;
  };
  const all: Views["all"] = async (resource, stored) => {
    const { conversion } = resource.storage;
    if (conversion === undefined) return stored.map((each) => now(resource, each) as JsonObject);
    const known = stored.map((each) => now(resource, each));
    const missing = stored.filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known as JsonObject[];
    const converted = await conversion.fromStorage(missing);
    let next = 0;
    return stored.map((each, index) => known[index] ?? shaped(resource, each, converted[next++] as JsonObject));
  };

  const of: Views["of"] = async (resource, stored) => {
    const { conversion } = resource.storage;
    // One object is asked about every time, as by a real server: whoever mends a webhook sees it at once. Lists are kept.
    const asks = conversion?.between !== undefined && stored["apiVersion"] !== apiVersionOf(resource);
    if (asks) return shaped(resource, stored, (await conversion.fromStorage([stored]))[0] as JsonObject);
    return now(resource, stored) ?? ((await all(resource, [stored]))[0] as JsonObject);
  };
  const toStorage: Views["toStorage"] = async (resource, object) => {
    const { conversion, version } = resource.storage;
    if (conversion !== undefined) return conversion.toStorage(object);
    return version === resource.version ? object : { ...object, apiVersion: apiVersionOf({ group: resource.group, version }) };
  };

  const remember: Views["remember"] = (resource, stored) => {
    const { conversion, version } = resource.storage;
    if (conversion === undefined && version === resource.version) cacheOf(resource).set(stored, stored);
  };

  return {
    now,
    all,
    of,
    toStorage,
    async tried(resource, object) {
      const asks = resource.storage.conversion?.between !== undefined && resource.storage.version !== resource.version;
      return asks ? of(resource, await toStorage(resource, object)) : object;
    },
    async convert(object, from, to) {
      const apiVersion = apiVersionOf(to);
      if (apiVersionOf(from) === apiVersion) return object;
      const { conversion, inVersion } = from.storage;
      if (conversion?.between !== undefined) return (await conversion.between([object], apiVersion))[0] as JsonObject;
      if (!from.typed) return { ...object, apiVersion };
      if (from.group === to.group && inVersion !== undefined) return inVersion(object, to.version);
      return of(to, await toStorage(from, object));
    },
    remember,
    async change(resource, object) {
      return { put: await toStorage(resource, object), kept: (stored) => remember(resource, stored) };
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
