import { isJsonObject } from "pintle/internal/json";
import {
  difference,
  formatViolations,
  hasPath,
  isEmptySet,
  isJsonEqual,
  isSameSet,
  mergeObjects,
  toFieldSet,
  validateAgainstShape,
} from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { badRequest, fieldError, invalid } from "../../status/index.ts";
import { unclassifiedError } from "../patch-errors.ts";
import { ApplyConflictError, buildConflictError } from "./apply-conflict.ts";
import {
  createFieldManager,
  decodeManagedFields,
  type FieldManager,
  type FieldManagerIdentity,
  type FieldManagers,
  getWriteTime,
  internManagerIdentifier,
  replaceFieldManager,
  withFieldSet,
} from "./field-managers.ts";
import { getLastAppliedFields, updateLastAppliedAnnotation } from "./last-applied.ts";
import { getManagedFields, removeManagedFields, setManagedFields } from "./object-managed-fields.ts";
import { pruneUnappliedFields } from "./prune.ts";
import { SYSTEM_FIELDS } from "./system-fields.ts";
import { reconcileManagersWithSchema, transferOwnership } from "./transfer-ownership.ts";
import { computeManagersAfterUpdate } from "./update-managed-fields.ts";
import {
  convertToVersions,
  type ManagedFieldsSchema,
  needsConversion,
  PAUSE,
  removeResetFields,
  runWithAsyncConversions,
  runWithConversions,
  type VersionConverter,
  type WithConversions,
} from "./versions.ts";

export interface ServerSideApply extends ManagedFieldsSchema {
  readonly kind: string;
  /** The stored object; undefined on create. */
  readonly live?: JsonObject | undefined;
  readonly config: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Defaulting of the merged object; defaulted fields have no manager. */
  readonly defaults?: ((object: JsonObject) => JsonObject) | undefined;
}

/**
 * Performs server-side apply: merges `config` into the stored object and removes fields that its manager no longer applies. Throws
 * `ApiError`; a conflict is a 409 that names every field and its manager.
 */
export function applyConfiguration(apply: ServerSideApply & { readonly convert?: VersionConverter | undefined }): JsonObject {
  return runWithConversions(computeApply(apply), apply.convert);
}

/** The same where a conversion webhook is called, or other requests run in the pauses. */
export function applyConfigurationAsync(apply: ServerSideApply, pause?: () => Promise<void>): Promise<JsonObject> {
  return runWithAsyncConversions(computeApply(apply), apply.convert, pause);
}

function* computeApply(apply: ServerSideApply): WithConversions<JsonObject> {
  checkApply(apply);
  yield PAUSE;
  const { config, manager, defaults = (object) => object } = apply;
  const time = getWriteTime(apply.subresource ?? "", apply.now);
  const stored = apply.live ?? apply.blank ?? {};
  const live = removeManagedFields(stored);
  const managers = yield* getLiveManagers(live, stored, apply);
  yield PAUSE;
  const { object, managers: after } = yield* mergeAllowingLastApplied(live, managers, apply);
  yield PAUSE;
  const unchanged = isJsonEqual(object, live);
  const result = unchanged ? live : defaults(object);
  yield PAUSE;
  const self = internManagerIdentifier(getApplierIdentity(apply));
  const stamped = unchanged ? after : after.map((each) => (each.id === self ? withFieldSet(each, { time }) : each));
  return setManagedFields(manager === "kubectl" ? updateLastAppliedAnnotation(result, config) : result, stamped);
}

function checkApply({ apiVersion, kind, config, manager, shape }: ServerSideApply): void {
  if (manager === "") {
    throw invalid({ group: "meta.k8s.io", resource: "PatchOptions" }, "", [
      fieldError.required("fieldManager", "is required for apply patch"),
    ]);
  }
  if (config["apiVersion"] !== apiVersion || config["kind"] !== kind) throw badRequest(`invalid object type: ${formatKind(config)}`);
  const entries = getManagedFields(config);
  if (entries !== undefined && entries !== null) throw badRequest("metadata.managedFields must be nil");
  const faults = validateAgainstShape(config, shape);
  if (faults.length > 0)
    throw unclassifiedError(`failed to create typed patch object (${formatObjectName(config)}): ${formatViolations(faults)}`);
}

/** Fields of an object without managed fields belong to `before-first-apply`. */
function* getLiveManagers(live: JsonObject, stored: JsonObject, apply: ServerSideApply): WithConversions<FieldManagers> {
  const managers = decodeLiveManagedFields(stored);
  if (managers.length > 0) return managers;
  return yield* computeManagersAfterUpdate(apply.blank ?? {}, live, managers, { ...apply, manager: "before-first-apply" });
}

function decodeLiveManagedFields(stored: JsonObject): FieldManagers {
  try {
    return decodeManagedFields(getManagedFields(stored));
  } catch (error) {
    if (error instanceof SyntaxError) throw unclassifiedError(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

interface MergeResult {
  readonly object: JsonObject;
  readonly managers: FieldManagers;
}

/** kubectl takes over fields of its earlier client-side apply without a conflict. */
function* mergeAllowingLastApplied(live: JsonObject, managers: FieldManagers, apply: ServerSideApply): WithConversions<MergeResult> {
  try {
    return yield* mergeConfiguration(live, managers, apply, apply.force);
  } catch (error) {
    if (!(error instanceof ApplyConflictError) || apply.manager !== "kubectl") throw error;
    const allowed = getLastAppliedFields(live, apply);
    if (allowed === undefined) throw error;
    const rest = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (rest.length > 0) throw buildConflictError(rest);
    return yield* mergeConfiguration(live, managers, apply, true);
  }
}

function* mergeConfiguration(
  live: JsonObject,
  before: FieldManagers,
  apply: ServerSideApply,
  force: boolean,
): WithConversions<MergeResult> {
  const { config, shape } = apply;
  const liveVersions = needsConversion(before, apply) ? yield* convertToVersions(live, before, apply) : undefined;
  const current = reconcileManagersWithSchema(before, apply, liveVersions);
  const identity = getApplierIdentity(apply);
  const self = internManagerIdentifier(identity);
  const last = current.find(({ id }) => id === self);
  const set = removeResetFields(toFieldSet(config, shape), apply);
  const claiming = createFieldManager(identity, last?.time, set, shape);
  yield PAUSE;
  const managers = [...current.filter(({ id }) => id !== self), claiming];
  const together = mergeObjects(live, config, shape);
  yield PAUSE;
  const nothingDropped = last === undefined || isEmptySet(difference(last.set, set));
  const object = nothingDropped ? together : yield* pruneUnappliedFields(together, managers, last, apply);
  const objectVersions = needsConversion(managers, apply) ? yield* convertToVersions(object, managers, apply) : undefined;
  yield PAUSE;
  const options = { self, force, beforeVersions: liveVersions, afterVersions: objectVersions };
  const { managers: after } = yield* transferOwnership(live, object, managers, apply, options);
  yield PAUSE;
  return { object, managers: replaceFieldManager(after, finalizeApplier(claiming, last)) };
}

/** Returns the applier with its final field set; the previous one if nothing changed. */
function finalizeApplier(claiming: FieldManager, last: FieldManager | undefined): FieldManager {
  const set = difference(claiming.set, SYSTEM_FIELDS);
  return last !== undefined && last.apiVersion === claiming.apiVersion && isSameSet(last.set, set) ? last : withFieldSet(claiming, { set });
}

function getApplierIdentity({ manager, apiVersion, subresource = "" }: ServerSideApply): FieldManagerIdentity {
  return { manager, operation: "Apply", apiVersion, subresource };
}

/** For example `default/web; apps/v1, Kind=Deployment`. */
function formatObjectName(object: JsonObject): string {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return `${metadata["namespace"] ?? ""}/${metadata["name"] ?? ""}; ${formatKind(object)}`;
}

function formatKind({ apiVersion, kind }: JsonObject): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  return `${version.includes("/") ? version : `/${version}`}, Kind=${typeof kind === "string" ? kind : ""}`;
}
