import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { ApiError, alreadyExists, notFound } from "../../status/index.ts";
import type { StoreChange, StoreEntry, TxnCommitted, TxnConflict } from "../../store/index.ts";
import { Slices } from "../../turns/index.ts";
import { OutgoingObject } from "../encoding/outgoing-object.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { type DeleteOptions, parseDeleteOptions } from "../options/delete-options.ts";
import { type ActionSubresource, formatApiVersion, type ServedResource } from "../registry/served-resource.ts";
import { createDeleteContext, createStrategyContext, getGroupResource, type RequestContext } from "../request-context.ts";
import { readPage } from "../storage/read-page.ts";
import { fitRequestSize } from "../storage/request-size.ts";
import { buildObjectKey } from "../storage/storage-codec.ts";
import { decideDeletion } from "../strategy/deletion.ts";
import { mutatingAdmission } from "./mutating-admission.ts";
import { readLive } from "./read-live.ts";
import { validatingAdmission } from "./validating-admission.ts";

/**
 * Writes to the store in one transaction that expects the revision that was read; a dry run only checks. Throws 409 for a name that is taken.
 * Reads `object`, `live`, `entry`, `writeOptions` or `deleteOptions`; writes `committed` or `outgoing`, `status`, and `retryFrom`
 * where another writer was faster.
 */
export async function commit(context: RequestContext): Promise<RequestContext> {
  switch (context.operation) {
    case "delete":
      await commitDelete(context);
      break;
    case "deletecollection":
      await deleteCollection(context);
      break;
    case "review":
      await evaluateReview(context);
      break;
    case "action":
      await executeAction(context);
      break;
    default:
      await (context.live === undefined ? commitCreate(context) : commitUpdate(context, context.live));
  }
  return context;
}

/** Sends a write of a request to the store, and records its commit on the request. */
async function writeToStore(
  context: RequestContext,
  key: string,
  expect: number,
  change: StoreChange,
): Promise<TxnCommitted | TxnConflict> {
  const fitting = "put" in change ? { ...change, put: fitRequestSize(context.resource, key, change.put) } : change;
  const result = await context.server.store.txn(key, expect, fitting);
  if (result.ok) context.recordCommit(result, "put" in change ? "put" : "delete");
  return result;
}

async function commitCreate(context: RequestContext): Promise<void> {
  const { server, resource, info, object } = context;
  const { name = "" } = getMetadata(object);
  const key = buildObjectKey(resource, info.namespace, name);
  context.status = 201;
  if (context.writeOptions.dryRun) {
    const current = await server.store.get(key);
    if (current !== undefined) throw alreadyExistsError(resource, name, current.value);
    await dryRun(context, context.operation === "create" ? object : withMetadata(object, { resourceVersion: undefined }));
    return;
  }
  if (context.operation === "create") checkNoRevision(object);
  const result = await writeToStore(context, key, 0, await server.storageCodec.encodeChange(resource, object));
  if (!result.ok) throw alreadyExistsError(resource, name, result.current?.value);
  context.committed = result;
}

/** Throws if an object to be created names a revision. kube-apiserver's store does so too: a dry run does not reach it, and it ignores what is no number. */
function checkNoRevision(object: JsonObject): void {
  const { resourceVersion = "" } = getMetadata(object);
  if (!/^\d{1,20}$/.test(resourceVersion)) return;
  const revision = BigInt(resourceVersion);
  if (revision === 0n || revision >= 2n ** 64n) return;
  throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
}

/** Answers with the object as it would be read back. */
async function dryRun(context: RequestContext, object: JsonObject): Promise<void> {
  const { server, resource } = context;
  context.outgoing = new OutgoingObject(undefined, await server.storageCodec.decodeDryRun(resource, object));
}

function alreadyExistsError(resource: ServedResource, name: string, current: JsonObject | undefined): ApiError {
  const isTerminating = current !== undefined && getMetadata(current).deletionTimestamp !== undefined;
  return alreadyExists(getGroupResource(resource), name, isTerminating ? "object is being deleted: " : "");
}

async function commitUpdate(context: RequestContext, live: JsonObject): Promise<void> {
  const { server, resource, object } = context;
  const entry = context.entry as StoreEntry;
  const { resourceVersion } = getMetadata(live);
  const updated = withMetadata(object, { resourceVersion });
  if (context.writeOptions.dryRun) return dryRun(context, updated);
  if (isFinalUpdate(object, live) && !resource.strategy.deletion?.isDeletionBlocked?.(object)) {
    const result = await writeToStore(context, entry.key, entry.revision, { delete: true });
    if (result.ok || result.current === undefined) context.outgoing = new OutgoingObject(undefined, updated);
    else context.retryFrom = "readLive";
    return;
  }
  // A write that changes nothing is skipped, unless the object is stored in a version that is not the storage version any more.
  const storageVersion = formatApiVersion({ group: resource.group, version: resource.storage.version });
  const isCurrent = resource.typed || entry.value["apiVersion"] === storageVersion;
  if (isCurrent && isJsonEqual(updated, live)) {
    context.outgoing = new OutgoingObject(undefined, live);
    return;
  }
  const result = await writeToStore(context, entry.key, entry.revision, await server.storageCodec.encodeChange(resource, object));
  if (result.ok) context.committed = result;
  else context.retryFrom = "readLive";
}

/** The object is being deleted, and the update removes the last finalizer. */
function isFinalUpdate(next: JsonObject, live: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = getMetadata(live);
  return (getMetadata(next).finalizers ?? []).length === 0 && deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}

async function commitDelete(context: RequestContext): Promise<void> {
  const { server, resource, deleteOptions } = context;
  const live = context.live as JsonObject;
  const entry = context.entry as StoreEntry;
  const strategy = resource.strategy.deletion ?? {};
  const decision = decideDeletion(live, deleteOptions, strategy, createStrategyContext(context));
  if (decision.type === "remove") {
    const last = deleteOptions.dryRun ? (decision.marked ?? live) : await removeEntry(context, entry, decision.marked);
    if (last === undefined) context.retryFrom = "readLive";
    else context.outgoing = new OutgoingObject(undefined, strategy.returnsDeletedObject ? last : buildSuccessStatus(context, live));
    return;
  }
  context.status = deleteOptions.orphanDependents === false ? 202 : 200;
  if (decision.type === "pending") context.outgoing = new OutgoingObject(undefined, live);
  else if (deleteOptions.dryRun || isJsonEqual(decision.object, live)) context.outgoing = new OutgoingObject(undefined, decision.object);
  else {
    const change = await server.storageCodec.encodeChange(resource, decision.object);
    const result = await writeToStore(context, entry.key, entry.revision, change);
    if (result.ok) context.outgoing = await server.storageCodec.decodeCommitted(resource, result);
    else context.retryFrom = "readLive";
  }
}

/** Returns the last state of the object; undefined when another writer was faster. */
async function removeEntry(context: RequestContext, entry: StoreEntry, marked: JsonObject | undefined) {
  const { server, resource } = context;
  const { storageCodec } = server;
  let { revision } = entry;
  if (marked !== undefined) {
    const result = await writeToStore(context, entry.key, revision, { put: await storageCodec.encode(resource, marked) });
    if (!result.ok) return undefined;
    revision = result.entry.revision;
  }
  const result = await writeToStore(context, entry.key, revision, { delete: true });
  return result.ok ? storageCodec.decode(resource, result.entry, result.value) : undefined;
}

function buildSuccessStatus({ resource, info }: RequestContext, live: JsonObject): JsonObject {
  const details = {
    name: info.name,
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: getMetadata(live).uid,
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

/** Deletes one object on behalf of another request: the stages of a delete, until no other writer is faster. */
async function deleteOne(context: RequestContext, namespace: string, name: string, options: DeleteOptions): Promise<void> {
  const each = createDeleteContext(context, { ...context.info, namespace, name }, options);
  do {
    each.retryFrom = undefined;
    await readLive(each);
    await mutatingAdmission(each);
    await validatingAdmission(each);
    await commitDelete(each);
  } while (each.retryFrom !== undefined);
}

/** Deletes each object that the selectors choose; the response is the list of them. */
async function deleteCollection(context: RequestContext): Promise<void> {
  const page = await readPage(context, context.listOptions);
  // A delete of twenty thousand objects would hold up other requests for a third of a second.
  const slices = new Slices(context.server.turnQueue.begin());
  for (const { object } of page.items) {
    if (slices.isOver()) await slices.next();
    const { namespace = "", name = "" } = getMetadata(object);
    try {
      await deleteOne(context, namespace, name, context.deleteOptions);
    } catch (error) {
      // Another writer deleted it.
      if (!(error instanceof ApiError) || error.reason !== "NotFound") throw error;
    }
  }
  context.page = page;
}

async function evaluateReview(context: RequestContext): Promise<void> {
  const { resource, object, writeOptions } = context;
  context.status = 201;
  const reviewed = await resource.evaluateReview?.(object, { ...createStrategyContext(context), dryRun: writeOptions.dryRun });
  context.outgoing = new OutgoingObject(undefined, reviewed);
}

async function executeAction(context: RequestContext): Promise<void> {
  const { info, object: body, subresource } = context;
  const { verb, namespace, name } = info;
  const { dryRun } = context.writeOptions;
  const value = await (subresource as ActionSubresource).execute({
    verb,
    namespace,
    name,
    body,
    dryRun,
    context: createStrategyContext(context),
    addAuditAnnotation: context.addAuditAnnotation,
    updateObject: (next) => updateStoredObject(context, next),
    deleteObject: (options) =>
      deleteOne(context, namespace, name, parseDeleteOptions(new Map(), dryRun ? { ...options, dryRun: ["All"] } : options)),
  });
  context.status = verb === "create" ? 201 : 200;
  context.outgoing = new OutgoingObject(undefined, value);
}

/** Reads, changes and writes back the object of an action, which is responsible for what it changes. */
async function updateStoredObject(context: RequestContext, next: (live: JsonObject) => JsonObject): Promise<JsonObject> {
  const { server, resource, info } = context;
  const { store, storageCodec } = server;
  for (;;) {
    const entry = await store.get(buildObjectKey(resource, info.namespace, info.name));
    if (entry === undefined) throw notFound(getGroupResource(resource), info.name);
    const changed = next(await storageCodec.decode(resource, entry));
    if (context.writeOptions.dryRun) return changed;
    const result = await writeToStore(context, entry.key, entry.revision, { put: await storageCodec.encode(resource, changed) });
    if (result.ok) return storageCodec.decode(resource, result.entry, result.value);
  }
}
