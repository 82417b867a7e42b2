import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { deepFreeze, type StoreChange, type StoreEntry, type TxnCommitted } from "../../store/index.ts";
import { mapInTurns, type TurnQueue, type Turns } from "../../turns/index.ts";
import { OutgoingObject } from "../encoding/outgoing-object.ts";
import { formatApiVersion, type ResourceSchema, type ServedResource } from "../registry/served-resource.ts";

/** Converts between stored objects and a version of a resource. `value` is the entry's value where it is decoded already. */
export interface StorageCodec {
  /** Decodes an entry into this version: converted, pruned and defaulted by the current schema. */
  decode(resource: ServedResource, entry: StoreEntry, value?: JsonObject): Promise<JsonObject>;
  /** The same for many entries, in turns. */
  decodeAll(resource: ServedResource, entries: readonly StoreEntry[], turns?: Turns): Promise<readonly JsonObject[]>;
  /** As `decode`, if that needs no webhook; else undefined. */
  decodeSync(resource: ServedResource, entry: StoreEntry, value?: JsonObject): JsonObject | undefined;
  /** As `decode`, but an object that is stored in this form is decoded only when its value is read. */
  decodeLazily(resource: ServedResource, entry: StoreEntry, value?: JsonObject): Promise<OutgoingObject>;
  /** Whether the entry is known to be stored exactly as this version has it. */
  isStoredForm(resource: ServedResource, entry: StoreEntry): boolean;
  /** Encodes an object for the store, in the storage version. */
  encode(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** Converts an object of one version of a resource to another. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): Promise<JsonObject>;
  /** Returns an object as it would be read back, had it been stored. */
  decodeDryRun(resource: ServedResource, object: JsonObject): Promise<JsonObject>;
  /** Encodes a change, with the schema that the object conforms to as the entry's attachment. */
  encodeChange(resource: ServedResource, object: JsonObject): Promise<StoreChange>;
  /** Decodes the result of such a change. */
  decodeCommitted(resource: ServedResource, committed: TxnCommitted): Promise<OutgoingObject>;
}

export function createStorageCodec(turnQueue: TurnQueue): StorageCodec {
  // Decoded values by schema: a changed CRD has a new schema, so nothing stale is returned. Attachments of entries are schemas for the same reason.
  const decodedBySchema = new WeakMap<ResourceSchema, WeakMap<JsonObject, JsonObject>>();
  const getDecodedCache = ({ schema }: ServedResource) => {
    let cache = decodedBySchema.get(schema);
    if (cache === undefined) {
      cache = new WeakMap();
      decodedBySchema.set(schema, cache);
    }
    return cache;
  };
  const isStoredForm: StorageCodec["isStoredForm"] = ({ schema }, { attachment }) => attachment === schema;
  const convertToResource = (resource: ServedResource, stored: JsonObject, converted: JsonObject): JsonObject => {
    const apiVersion = formatApiVersion(resource);
    const object = converted["apiVersion"] === apiVersion ? converted : { ...converted, apiVersion };
    const { object: known } = resource.schema.prune(object);
    // Fields that a webhook left out are not defaulted.
    return deepFreeze(converted !== stored && resource.storage.conversion?.convert !== undefined ? known : resource.schema.default(known));
  };
  const cacheDecoded = (resource: ServedResource, entry: StoreEntry, stored: JsonObject, converted: JsonObject): JsonObject => {
    const view = convertToResource(resource, stored, converted);
    if (isJsonEqual(view, stored)) {
      entry.attachment = resource.schema;
      return stored;
    }
    getDecodedCache(resource).set(stored, view);
    return view;
  };
  const decodeSync: StorageCodec["decodeSync"] = (resource, entry, value = entry.value) => {
    if (isStoredForm(resource, entry)) return value;
    const known = decodedBySchema.get(resource.schema)?.get(value);
    if (known !== undefined) return known;
    return resource.storage.conversion === undefined ? cacheDecoded(resource, entry, value, value) : undefined;
  };
  const decodeAll: StorageCodec["decodeAll"] = async (resource, entries, turns = turnQueue.begin()) => {
    const { conversion } = resource.storage;
    const known = await mapInTurns(entries, (each) => decodeSync(resource, each), turns);
    if (conversion === undefined) return known as JsonObject[];
    const missing = entries.filter((_, index) => known[index] === undefined).map(({ value }) => value);
    if (missing.length === 0) return known as JsonObject[];
    const converted = await conversion.fromStorage(missing);
    let next = 0;
    return entries.map(
      (each, index) => known[index] ?? cacheDecoded(resource, each, missing[next] as JsonObject, converted[next++] as JsonObject),
    );
  };

  const decode: StorageCodec["decode"] = async (resource, entry, value = entry.value) => {
    if (isStoredForm(resource, entry)) return value;
    const { conversion } = resource.storage;
    // As kube-apiserver, a single object is converted on every read, so a repaired webhook takes effect at once; lists are cached.
    const asks = conversion?.convert !== undefined && value["apiVersion"] !== formatApiVersion(resource);
    const known = asks ? undefined : decodeSync(resource, entry, value);
    if (known !== undefined || conversion === undefined) return known as JsonObject;
    return cacheDecoded(resource, entry, value, (await conversion.fromStorage([value]))[0] as JsonObject);
  };
  const decodeLazily: StorageCodec["decodeLazily"] = async (resource, entry, value) =>
    isStoredForm(resource, entry) ? new OutgoingObject(entry, value) : new OutgoingObject(undefined, await decode(resource, entry, value));
  const encode: StorageCodec["encode"] = async (resource, object) => {
    const { conversion, version } = resource.storage;
    if (conversion !== undefined) return conversion.toStorage(object);
    return version === resource.version ? object : { ...object, apiVersion: formatApiVersion({ group: resource.group, version }) };
  };

  /** The attachment for objects that this resource writes. */
  const getWrittenSchema = ({ schema, version, storage }: ServedResource) =>
    storage.conversion === undefined && storage.version === version ? schema : undefined;
  /** Decodes an object as if it had been read from the store. */
  const decodeStored = async (resource: ServedResource, stored: JsonObject) => {
    const { conversion } = resource.storage;
    const needed = conversion !== undefined && (conversion.convert === undefined || stored["apiVersion"] !== formatApiVersion(resource));
    return convertToResource(resource, stored, needed ? ((await conversion.fromStorage([stored]))[0] as JsonObject) : stored);
  };

  return {
    decodeSync,
    decodeAll,
    decode,
    decodeLazily,
    isStoredForm,
    encode,
    async decodeDryRun(resource, object) {
      const asks = resource.storage.conversion?.convert !== undefined && resource.storage.version !== resource.version;
      return asks ? decodeStored(resource, await encode(resource, object)) : object;
    },
    async convert(object, from, to) {
      const apiVersion = formatApiVersion(to);
      if (formatApiVersion(from) === apiVersion) return object;
      const { conversion, convertToVersion } = from.storage;
      if (conversion?.convert !== undefined) return (await conversion.convert([object], apiVersion))[0] as JsonObject;
      if (!from.typed) return { ...object, apiVersion };
      if (from.group === to.group && convertToVersion !== undefined) return convertToVersion(object, to.version);
      return decodeStored(to, await encode(from, object));
    },
    async encodeChange(resource, object) {
      return { put: await encode(resource, object), attachment: getWrittenSchema(resource) };
    },
    decodeCommitted(resource, { entry, value }) {
      // A store that learned of the change from its backend first does not have the attachment.
      entry.attachment ??= getWrittenSchema(resource);
      return decodeLazily(resource, entry, value);
    },
  };
}

/** Builds the key of one object. */
export function buildObjectKey({ storage, scope }: ServedResource, namespace: string, name: string): string {
  return scope === "Namespaced" ? `${storage.prefix}/${namespace}/${name}` : `${storage.prefix}/${name}`;
}

/** Builds the key prefix of a collection; of all namespaces when none is given. */
export function buildCollectionPrefix({ storage, scope }: ServedResource, namespace: string): string {
  return scope === "Namespaced" && namespace !== "" ? `${storage.prefix}/${namespace}/` : `${storage.prefix}/`;
}
