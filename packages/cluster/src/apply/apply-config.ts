import { isObject, type JsonObject } from "pintle/kinds";
import { conform, difference, equal, faultsText, has, isEmpty, merge, sameSet, toFieldSet } from "pintle/merge";
import { badRequest, fieldError, invalid } from "../status/index.ts";
import { ConflictError, conflictError } from "./conflict.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { managedFieldsOf, withOwners, withoutManagedFields } from "./managed-fields.ts";
import { decodeOwners, type Identity, type Owner, type Owners, ownerId } from "./owners.ts";
import { prune } from "./prune.ts";
import { unexpected } from "./refusals.ts";
import { SYSTEM_FIELDS } from "./system-fields.ts";
import { ownersAfter } from "./track-update.ts";
import { currentOwners, transfer } from "./transfer.ts";
import { effective, type Schema } from "./versions.ts";

export interface Apply extends Schema {
  readonly kind: string;
  /** What is stored; nothing on create. */
  readonly live?: JsonObject | undefined;
  readonly config: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** The kind's defaults: they fill in the merged object, and belong to nobody. */
  readonly defaults?: ((object: JsonObject) => JsonObject) | undefined;
}

/**
 * Server-side apply: the stored object with everything `config` says and without what its manager no longer says.
 * Throws an ApiError; a conflict is a 409 that names every field and its owner.
 */
export function applyConfig(apply: Apply): JsonObject {
  check(apply);
  const { config, manager, now, defaults = (object) => object } = apply;
  const stored = apply.live ?? apply.blank ?? {};
  const live = withoutManagedFields(stored);
  const owners = trackedOwners(live, stored, apply);
  const { object, owners: after } = withoutOldConflicts(live, owners, apply);
  const self = ownerId(applier(apply));
  const unchanged = equal(object, live);
  const result = unchanged ? live : defaults(object);
  return withOwners(manager === "kubectl" ? withLastApplied(result, config) : result, unchanged ? after : stamped(after, self, now));
}

function check({ apiVersion, kind, config, manager, shape }: Apply): void {
  if (manager === "") {
    throw invalid({ group: "meta.k8s.io", resource: "PatchOptions" }, "", [
      fieldError.required("fieldManager", "is required for apply patch"),
    ]);
  }
  if (config["apiVersion"] !== apiVersion || config["kind"] !== kind) throw badRequest(`invalid object type: ${kindText(config)}`);
  const entries = managedFieldsOf(config);
  if (entries !== undefined && entries !== null) throw badRequest("metadata.managedFields must be nil");
  const faults = conform(config, shape);
  if (faults.length > 0) throw unexpected(`failed to create typed patch object (${nameText(config)}): ${faultsText(faults)}`);
}

/** An object that nobody tracked so far belongs to `before-first-apply`, all of it. */
function trackedOwners(live: JsonObject, stored: JsonObject, apply: Apply): Owners {
  const owners = decoded(stored);
  if (owners.size > 0) return owners;
  return ownersAfter(apply.blank ?? {}, live, owners, { ...apply, manager: "before-first-apply" });
}

function decoded(stored: JsonObject): Owners {
  try {
    return decodeOwners(managedFieldsOf(stored));
  } catch (error) {
    if (error instanceof SyntaxError) throw unexpected(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

interface Applied {
  readonly object: JsonObject;
  readonly owners: Owners;
}

/** kubectl may take over what it applied from the client side before. */
function withoutOldConflicts(live: JsonObject, owners: Owners, apply: Apply): Applied {
  try {
    return merged(live, owners, apply, apply.force);
  } catch (error) {
    if (!(error instanceof ConflictError) || apply.manager !== "kubectl") throw error;
    const allowed = lastAppliedFields(live, apply);
    if (allowed === undefined) throw error;
    const rest = error.conflicts.filter(({ path }) => !has(allowed, path));
    if (rest.length > 0) throw conflictError(rest);
    return merged(live, owners, apply, true);
  }
}

function merged(live: JsonObject, before: Owners, apply: Apply, force: boolean): Applied {
  const { config, shape } = apply;
  const owners = currentOwners(before, live, apply);
  const identity = applier(apply);
  const self = ownerId(identity);
  const last = owners.get(self);
  const set = effective(toFieldSet(config, shape), apply);
  owners.set(self, { ...identity, time: last?.time, set });
  const together = merge(live, config, shape);
  const nothingDropped = last === undefined || isEmpty(difference(last.set, set));
  const object = nothingDropped ? together : prune(together, owners, last, apply);
  const after = transfer(live, object, owners, apply, { self, force }).owners;
  return { object, owners: withoutSystemFields(after, self, last) };
}

function withoutSystemFields(owners: Map<string, Owner>, self: string, last: Owner | undefined): Owners {
  const owner = owners.get(self);
  if (owner === undefined) return owners;
  const set = difference(owner.set, SYSTEM_FIELDS);
  if (isEmpty(set)) owners.delete(self);
  else owners.set(self, last !== undefined && sameSet(last.set, set) && last.apiVersion === owner.apiVersion ? last : { ...owner, set });
  return owners;
}

function stamped(owners: Owners, self: string, time: string): Owners {
  const owner = owners.get(self);
  return owner === undefined || owner.time === time ? owners : new Map(owners).set(self, { ...owner, time });
}

function applier({ manager, apiVersion, subresource = "" }: Apply): Identity {
  return { manager, operation: "Apply", apiVersion, subresource };
}

/** `default/web; apps/v1, Kind=Deployment` */
function nameText(object: JsonObject): string {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  return `${metadata["namespace"] ?? ""}/${metadata["name"] ?? ""}; ${kindText(object)}`;
}

function kindText({ apiVersion, kind }: JsonObject): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  return `${version.includes("/") ? version : `/${version}`}, Kind=${typeof kind === "string" ? kind : ""}`;
}
