import { isJsonObject } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import { difference, type FieldSet, isEmptySet, isJsonEqual, union, unionAll } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import {
  compareStrings,
  createFieldManager,
  decodeManagedFields,
  type FieldManager,
  type FieldManagers,
  getWriteTime,
  replaceFieldManager,
  toEpochSeconds,
} from "./field-managers.ts";
import { getManagedFields, isManagedFieldsReset, removeManagedFields, setManagedFields } from "./object-managed-fields.ts";
import { SYSTEM_FIELDS } from "./system-fields.ts";
import { reconcileManagersWithSchema, transferOwnership } from "./transfer-ownership.ts";
import {
  convertToVersions,
  type ManagedFieldsSchema,
  needsConversion,
  type ObjectVersions,
  PAUSE,
  runWithAsyncConversions,
  runWithConversions,
  type VersionConverter,
  type WithConversions,
} from "./versions.ts";

export interface ManagedFieldsUpdate extends ManagedFieldsSchema {
  /** The stored object; undefined on create. */
  readonly live?: JsonObject | undefined;
  /** The object to store. Its managedFields are honoured except on a subresource. */
  readonly next: JsonObject;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** Returns `next` with managedFields updated for any write except apply: a manager owns the fields that it changes. */
export function updateManagedFields(update: ManagedFieldsUpdate & { readonly convert?: VersionConverter | undefined }): JsonObject {
  return runWithConversions(computeManagedFields(update), update.convert);
}

/** The same where a conversion webhook is called, or other requests run in the pauses. */
export function updateManagedFieldsAsync(update: ManagedFieldsUpdate, pause?: () => Promise<void>): Promise<JsonObject> {
  return runWithAsyncConversions(computeManagedFields(update), update.convert, pause);
}

function* computeManagedFields(update: ManagedFieldsUpdate): WithConversions<JsonObject> {
  const managers = getManagersBeforeUpdate(getLive(update), update);
  yield PAUSE;
  return yield* needsConversion(managers, update) ? computeUpdateInVersions(update, managers) : computeUpdate(update, managers);
}

function getLive({ live, blank }: ManagedFieldsUpdate): JsonObject {
  return live ?? blank ?? {};
}

function* computeUpdateInVersions(update: ManagedFieldsUpdate, managers: FieldManagers): WithConversions<JsonObject> {
  const liveVersions = yield* convertToVersions(removeManagedFields(getLive(update)), managers, update);
  const existing = managers.filter(({ apiVersion }) => liveVersions.get(apiVersion) !== undefined);
  const nextVersions = yield* convertToVersions(removeManagedFields(update.next), existing, update);
  return yield* computeUpdate(update, managers, liveVersions, nextVersions);
}

function* computeUpdate(
  update: ManagedFieldsUpdate,
  managers: FieldManagers,
  liveVersions?: ObjectVersions,
  nextVersions?: ObjectVersions,
): WithConversions<JsonObject> {
  const live = getLive(update);
  const next = removeManagedFields(update.next);
  // An object without managed fields stays so until the first apply.
  if (managers.length === 0 && isPersisted(live)) return next;
  const before = removeManagedFields(live);
  const after = yield* computeManagersAfterUpdate(before, next, managers, update, liveVersions, nextVersions);
  yield PAUSE;
  return setManagedFields(next, after);
}

const subtractSystemFields = memoize(difference);

/** Returns the managers after `manager` changed `live` into `next`. */
export function* computeManagersAfterUpdate(
  live: JsonObject,
  next: JsonObject,
  managers: FieldManagers,
  update: Omit<ManagedFieldsUpdate, "next" | "live">,
  liveVersions?: ObjectVersions,
  nextVersions?: ObjectVersions,
): WithConversions<FieldManagers> {
  const { manager, apiVersion, subresource = "", now, shape } = update;
  const reconciled = reconcileManagersWithSchema(managers, update, liveVersions);
  const options = { force: true, beforeVersions: liveVersions, afterVersions: nextVersions };
  yield PAUSE;
  const { managers: left, changes } = yield* transferOwnership(live, next, reconciled, update, options);
  yield PAUSE;
  const gained = subtractSystemFields(changes.changed, SYSTEM_FIELDS);
  if (isEmptySet(gained)) return capUpdateManagers(left);
  const identity = { manager: manager === "" ? "unknown" : manager, operation: "Update", apiVersion, subresource } as const;
  const self = createFieldManager(identity, getWriteTime(subresource, now), gained, shape);
  const before = left.find(({ id }) => id === self.id);
  yield PAUSE;
  return capUpdateManagers(replaceFieldManager(left, before === undefined ? self : { ...self, set: union(gained, before.set) }));
}

/** A client may write managedFields, send them back unchanged, or omit them. */
function getManagersBeforeUpdate(live: JsonObject, { next, subresource = "" }: ManagedFieldsUpdate): FieldManagers {
  const stored = getManagedFields(live);
  const given = getManagedFields(next);
  if (subresource === "" && given !== undefined && given !== stored && !isJsonEqual(given, stored)) {
    if (isManagedFieldsReset(given)) return [];
    const managers = decodeOrEmpty(given);
    if (managers.length > 0) return managers;
  }
  return decodeOrEmpty(stored);
}

function decodeOrEmpty(entries: ReturnType<typeof getManagedFields>): FieldManagers {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isPersisted(object: JsonObject): boolean {
  const { metadata } = object;
  return isJsonObject(metadata) && metadata["uid"] !== undefined && metadata["uid"] !== "";
}

const MAX_UPDATE_MANAGERS = 10;

/** Limits the number of managers with operation Update to ten: the oldest ones of a version are merged into `ancient-changes`. */
function capUpdateManagers(managers: FieldManagers): FieldManagers {
  const updaters = managers.filter(({ operation }) => operation === "Update");
  let surplus = updaters.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return managers;
  updaters.sort((a, b) => toEpochSeconds(a.time) - toEpochSeconds(b.time) || compareStrings(a.id, b.id));

  const out = new Map(managers.map((each) => [each.id, each]));
  const oldest = new Map<string, FieldManager>();
  const mergedSets = new Map<string, FieldSet[]>();
  for (const each of updaters) {
    if (surplus <= 0) break;
    const first = oldest.get(each.apiVersion);
    if (first === undefined) {
      oldest.set(each.apiVersion, each);
      continue;
    }
    const { apiVersion, time, set, fittingShape } = each;
    const bucket = createFieldManager(
      { manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" },
      time,
      set,
      fittingShape,
    );
    const before = out.get(bucket.id) ?? first;
    if (!out.has(bucket.id)) out.delete(first.id);
    out.delete(each.id);
    out.set(bucket.id, bucket);
    const sets = mergedSets.get(bucket.id);
    if (sets === undefined) mergedSets.set(bucket.id, [before.set, set]);
    else sets.push(set);
    surplus--;
  }
  for (const [id, sets] of mergedSets) out.set(id, { ...(out.get(id) as FieldManager), set: unionAll(sets) });
  return [...out.values()];
}
