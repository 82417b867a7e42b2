import type { JsonObject } from "pintle/kinds";
import { conflict, notFound } from "../../status/index.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { beginTurns, getGroupKind, getGroupResource, LARGE_OBJECT_BYTES, type RequestContext } from "../request-context.ts";
import { buildObjectKey } from "../storage/storage-codec.ts";

/**
 * Reads the stored object that a write changes, and checks the preconditions of the request. The pipeline comes back here
 * when another writer was faster. Throws 404 or 409. Reads `info`, `uidPrecondition`, `deleteOptions`; writes `entry`, `live`, `turns`.
 */
export async function readLive(context: RequestContext): Promise<RequestContext> {
  const { server, resource, info } = context;
  if (context.operation === "delete") warnAboutPropagation(context);
  const key = buildObjectKey(resource, info.namespace, info.name);
  const entry = await server.store.get(key);
  context.entry = entry;
  if (entry === undefined) {
    if (!context.createIfMissing) throw notFound(getGroupResource(resource), info.name);
    context.live = undefined;
    return context;
  }
  if (entry.byteLength > LARGE_OBJECT_BYTES) beginTurns(context);
  const live = await server.storageCodec.decode(resource, entry);
  context.live = live;
  if (context.operation === "delete") checkDeletePreconditions(context, live);
  else checkUidPrecondition(context, key, live);
  return context;
}

function warnAboutPropagation({ resource, deleteOptions, warn }: RequestContext): void {
  const warning = resource.strategy.deletion?.warning;
  if (warning !== undefined && deleteOptions.propagationPolicy === undefined && deleteOptions.orphanDependents === undefined) warn(warning);
}

function checkUidPrecondition({ resource, info, uidPrecondition: uid }: RequestContext, key: string, live: JsonObject): void {
  const actual = getMetadata(live).uid;
  if (uid === undefined || uid === actual) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`;
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(getGroupResource(resource), info.name, text);
}

function checkDeletePreconditions({ resource, info, deleteOptions }: RequestContext, live: JsonObject): void {
  const { uid, resourceVersion } = deleteOptions;
  const actual = getMetadata(live);
  if (uid !== undefined && uid !== actual.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${actual.uid}). The object might have been deleted and then recreated`;
    throw conflict(getGroupKind(resource), info.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== actual.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actual.resourceVersion}). The object might have been modified`;
    throw conflict(getGroupKind(resource), info.name, why);
  }
}
