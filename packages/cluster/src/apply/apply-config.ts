import { isObject, type JsonObject } from "pintle/kinds";
import { conform, difference, equal, faultsText, has, isEmpty, merge, sameSet, toFieldSet } from "pintle/merge";
import { badRequest, fieldError, invalid } from "../status/index.ts";
import { ConflictError, conflictError } from "./conflict.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { managedFieldsOf, withOwners, withoutManagedFields } from "./managed-fields.ts";
import { changed, decodeOwners, type Identity, type Owner, type Owners, owner, ownerId, timeOf, withOwner } from "./owners.ts";
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
  const { config, manager, defaults = (object) => object } = apply;
  const time = timeOf(apply.subresource ?? "", apply.now);
  const stored = apply.live ?? apply.blank ?? {};
  const live = withoutManagedFields(stored);
  const owners = trackedOwners(live, stored, apply);
  const { object, owners: after } = withoutOldConflicts(live, owners, apply);
  const unchanged = equal(object, live);
  const result = unchanged ? live : defaults(object);
  const self = ownerId(applier(apply));
  const stamped = unchanged ? after : after.map((each) => (each.id === self ? changed(each, { time }) : each));
  return withOwners(manager === "kubectl" ? withLastApplied(result, config) : result, stamped);
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
  if (owners.length > 0) return owners;
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
  const current = currentOwners(before, live, apply);
  const identity = applier(apply);
  const self = ownerId(identity);
  const last = current.find(({ id }) => id === self);
  const set = effective(toFieldSet(config, shape), apply);
  const claiming = owner(identity, last?.time, set, shape);
  const owners = [...current.filter(({ id }) => id !== self), claiming];
  const together = merge(live, config, shape);
  const nothingDropped = last === undefined || isEmpty(difference(last.set, set));
  const object = nothingDropped ? together : prune(together, owners, last, apply);
  const after = transfer(live, object, owners, apply, { self, force }).owners;
  return { object, owners: withOwner(after, ownedBy(claiming, last)) };
}

/** What an applier gets in the end; the same as before when that is the same. */
function ownedBy(claiming: Owner, last: Owner | undefined): Owner {
  const set = difference(claiming.set, SYSTEM_FIELDS);
  return last !== undefined && last.apiVersion === claiming.apiVersion && sameSet(last.set, set) ? last : changed(claiming, { set });
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
