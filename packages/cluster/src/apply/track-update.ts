import { isObject, type JsonObject } from "pintle/kinds";
import { difference, equal, isEmpty, union } from "pintle/merge";
import { withAncientChanges } from "./ancient-changes.ts";
import { isReset, managedFieldsOf, withOwners, withoutManagedFields } from "./managed-fields.ts";
import { decodeOwners, type Identity, NOBODY, type Owners, ownerId } from "./owners.ts";
import { SYSTEM_FIELDS } from "./system-fields.ts";
import { currentOwners, transfer } from "./transfer.ts";
import type { Schema } from "./versions.ts";

export interface Update extends Schema {
  /** What is stored; nothing on create. */
  readonly live?: JsonObject | undefined;
  /** What is to be stored. Its own managedFields count only where a client may write them: not on a subresource. */
  readonly next: JsonObject;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** `next` with the managedFields that any write but an apply leaves behind: whoever changes a field owns it. */
export function trackUpdate(update: Update): JsonObject {
  const live = update.live ?? update.blank ?? {};
  const owners = ownersBefore(live, update);
  const next = withoutManagedFields(update.next);
  // Objects that nobody tracks stay so until the first apply.
  if (owners.size === 0 && isStored(live)) return next;
  return withOwners(next, ownersAfter(withoutManagedFields(live), next, owners, update));
}

/** Who owns what once `manager` has turned `live` into `next`. */
export function ownersAfter(live: JsonObject, next: JsonObject, owners: Owners, update: Omit<Update, "next" | "live">): Owners {
  const { apiVersion, now, resetFields, convert, shape } = update;
  const schema: Schema = { apiVersion, shape, resetFields, convert };
  const left = transfer(live, next, currentOwners(owners, live, schema), schema, { force: true });
  const gained = difference(left.changes.taken, SYSTEM_FIELDS);
  if (!isEmpty(gained)) {
    const self = updater(update);
    const id = ownerId(self);
    const before = left.owners.get(id);
    left.owners.set(id, { ...self, time: now, set: before === undefined ? gained : union(gained, before.set) });
  }
  return withAncientChanges(left.owners);
}

function updater({ manager, apiVersion, subresource = "" }: Omit<Update, "next" | "live">): Identity {
  return { manager: manager === "" ? "unknown" : manager, operation: "Update", apiVersion, subresource };
}

/** Clients may write managedFields, or send them back as they got them, or know nothing of them. */
function ownersBefore(live: JsonObject, { next, subresource = "" }: Update): Owners {
  const stored = managedFieldsOf(live);
  const given = managedFieldsOf(next);
  if (subresource === "" && given !== undefined && given !== stored && !equal(given, stored)) {
    if (isReset(given)) return NOBODY;
    const owners = readable(given);
    if (owners.size > 0) return owners;
  }
  return readable(stored);
}

function readable(entries: ReturnType<typeof managedFieldsOf>): Owners {
  try {
    return decodeOwners(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return NOBODY;
    throw error;
  }
}

function isStored(object: JsonObject): boolean {
  const { metadata } = object;
  return isObject(metadata) && metadata["uid"] !== undefined && metadata["uid"] !== "";
}
