import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { ApiError, conflict, type FieldError, fieldError, fieldErrorText, invalid, MODIFIED, notFound } from "../../status/index.ts";
import type { Entry } from "../../store/index.ts";
import { validate } from "../admission.ts";
import { authorize } from "../authorizer.ts";
import { type Call, contextOf, kindName, resourceName } from "../call.ts";
import { equalExcept } from "../metadata/equal.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import { toldAgain, validateMetadata, validateMetadataUpdate } from "../metadata/validate.ts";
import { countsAsChange, withConversions } from "../ownership.ts";
import { apiVersionOf } from "../resource.ts";
import { keyOf, type Viewed } from "../stored.ts";
import { part, preparePart, prepareUpdate, updateStrategy } from "../strategy.ts";
import { checkType } from "../type-meta.ts";
import { admissionFor, type Shown } from "./admission-request.ts";
import { admitted } from "./admitted.ts";
import { insert } from "./insert.ts";

export interface Update {
  readonly dryRun: boolean;
  /** What the object should become, with its managed fields; asked anew when somebody else was faster. */
  next(live: JsonObject | undefined): JsonObject;
  /** The uid the client takes for granted. */
  readonly uid?: string | undefined;
  /** A missing object is created instead of being an error. */
  readonly creates: boolean;
  /** What admission sees, where that is not the object itself. */
  readonly shown?: Shown | undefined;
}

export interface Updated {
  readonly viewed: Viewed;
  readonly created: boolean;
}

/** Read, change, write back if nobody else did in between: for PUT, every kind of PATCH, and subresources. */
export async function update(call: Call, change: Update): Promise<Updated> {
  const { kernel, resource, info } = call;
  const key = keyOf(resource, info.namespace, info.name);
  for (;;) {
    const entry = await kernel.store.get(key);
    if (entry === undefined) {
      if (!change.creates) throw notFound(resourceName(resource), info.name);
      const wanted = await admitted(call, await withConversions(call, () => change.next(undefined)), undefined, change.dryRun);
      await authorize(kernel.authorizer, { user: call.request.user, info: { ...info, verb: "create" } });
      return { viewed: await insert(call, wanted, change.dryRun), created: true };
    }
    const live = await kernel.views.of(resource, entry);
    checkUid(call, key, change.uid, live);
    const wanted = await admitted(call, await withConversions(call, () => change.next(live)), live, change.dryRun, change.shown);
    const next = await checked(call, wanted, live, change);
    const viewed = await commit(call, entry, next, live, change.dryRun);
    if (viewed !== undefined) return { viewed, created: false };
  }
}

/** The object as it would be stored, if all rules allow it. */
async function checked(call: Call, wanted: JsonObject, live: JsonObject, { dryRun, shown }: Update): Promise<JsonObject> {
  const { kernel, resource, info } = call;
  const { schema } = resource;
  checkVersion(call, wanted, live);
  const context = contextOf(call);
  const of = part(resource, info.subresource);
  const prepared = of === undefined ? prepareUpdate(resource, wanted, live, context) : preparePart(of, wanted, live, context);

  checkType(resource, prepared);
  const strategy = updateStrategy(resource, info.subresource);
  const warn = (passed: FieldError) => call.warn(fieldErrorText(passed));
  const metadata = validateMetadata(prepared, resource.scope);
  const errors = [
    ...metadata,
    ...toldAgain(metadata, resource.typed),
    ...validateMetadataUpdate(prepared, live),
    ...(info.subresource === "status" && schema.validateStatus
      ? schema.validateStatus(prepared, live, warn)
      : schema.validate(prepared, live, warn)),
    ...(strategy.validateUpdate?.(prepared, live, context) ?? []),
  ];
  if (errors.length > 0) throw invalid(kindName(resource), info.name, errors);
  for (const warning of strategy.warningsOnUpdate?.(prepared, live) ?? []) call.warn(warning);
  const next = countsAsChange(call) ? prepared : withoutIdleTimestamps(prepared, live);
  const request = admissionFor(call, "UPDATE", dryRun, shown?.kind);
  const { resourceVersion } = metadataOf(live);
  const object = metadataOf(next).resourceVersion === undefined ? withMetadata(next, { resourceVersion }) : next;
  await validate(kernel.admission, { ...request, object: shown?.of(object) ?? object, live: shown?.of(live) ?? live });
  return next;
}

/** Undefined: somebody else was faster. */
async function commit(
  { kernel, resource }: Call,
  entry: Entry,
  next: JsonObject,
  live: JsonObject,
  dryRun: boolean,
): Promise<Viewed | undefined> {
  const { resourceVersion } = metadataOf(live);
  const finished = isFinished(next, live) && !resource.strategy.deletion?.held?.(next);
  const answer = withMetadata(next, { resourceVersion });
  if (dryRun) return { object: await kernel.views.tried(resource, answer) };
  if (finished) {
    const result = await kernel.store.txn(entry.key, entry.revision, { delete: true });
    return result.ok || result.current === undefined ? { object: answer } : undefined;
  }
  // Nothing changes, unless it is stored in a version that is not the one to store in any more.
  const isCurrent = resource.typed || entry.value["apiVersion"] === apiVersionOf({ ...resource, version: resource.storage.version });
  if (isCurrent && equal(answer, live)) return { object: live };
  const result = await kernel.store.txn(entry.key, entry.revision, await kernel.views.change(resource, next));
  return result.ok ? kernel.views.written(resource, result) : undefined;
}

function checkUid({ resource, info }: Call, key: string, uid: string | undefined, live: JsonObject): void {
  const actual = metadataOf(live).uid;
  if (uid === undefined || uid === actual) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`;
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(resourceName(resource), info.name, text);
}

function checkVersion({ resource, info }: Call, wanted: JsonObject, live: JsonObject): void {
  const text = metadataOf(wanted).resourceVersion ?? "";
  if (!/^\d*$/.test(text)) throw new ApiError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const given = Number(text);
  if (given === 0) {
    if (resource.strategy.unconditionalUpdate) return;
    const error = fieldError.invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid(resourceName(resource), info.name, [error]);
  }
  if (given !== Number(metadataOf(live).resourceVersion)) throw conflict(resourceName(resource), info.name, MODIFIED);
}

/** The object is being deleted, and this update takes away the last thing that kept it. */
function isFinished(next: JsonObject, live: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadataOf(live);
  return (metadataOf(next).finalizers ?? []).length === 0 && deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}

/** An update that only moves times in managedFields changes nothing: the old times stay. */
function withoutIdleTimestamps(next: JsonObject, live: JsonObject): JsonObject {
  const now = metadataOf(next);
  const was = metadataOf(live);
  if (now.managedFields === undefined || was.managedFields === undefined) return next;
  const timeless = (entries: readonly JsonObject[]) => entries.map(({ time: _, ...rest }) => rest);
  const same =
    equalExcept(next, live, ["metadata"]) &&
    equalExcept(now as JsonObject, was as JsonObject, ["managedFields", "resourceVersion"]) &&
    equal(timeless(now.managedFields as readonly JsonObject[]), timeless(was.managedFields as readonly JsonObject[]));
  return same ? withMetadata(next, { managedFields: was.managedFields }) : next;
}
