import { isObject, type JsonObject } from "pintle/kinds";
import { difference, equal, isEmpty, union } from "pintle/merge";
import { withAncientChanges } from "./ancient-changes.ts";
import { isReset, managedFieldsOf, withOwners, withoutManagedFields } from "./managed-fields.ts";
import { decodeOwners, type Owners, owner, timeOf, withOwner } from "./owners.ts";
import { remembered } from "./remembered.ts";
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
  if (owners.length === 0 && isStored(live)) return next;
  return withOwners(next, ownersAfter(withoutManagedFields(live), next, owners, update));
}

const withoutSystemFields = remembered(difference);

/** Who owns what once `manager` has turned `live` into `next`. */
export function ownersAfter(live: JsonObject, next: JsonObject, owners: Owners, update: Omit<Update, "next" | "live">): Owners {
  const { manager, apiVersion, subresource = "", now, shape } = update;
  const { owners: left, changes } = transfer(live, next, currentOwners(owners, live, update), update, { force: true });
  const gained = withoutSystemFields(changes.taken, SYSTEM_FIELDS);
  if (isEmpty(gained)) return withAncientChanges(left);
  const identity = { manager: manager === "" ? "unknown" : manager, operation: "Update", apiVersion, subresource } as const;
  const self = owner(identity, timeOf(subresource, now), gained, shape);
  const before = left.find(({ id }) => id === self.id);
  return withAncientChanges(withOwner(left, before === undefined ? self : { ...self, set: union(gained, before.set) }));
}

/** Clients may write managedFields, or send them back as they got them, or know nothing of them. */
function ownersBefore(live: JsonObject, { next, subresource = "" }: Update): Owners {
  const stored = managedFieldsOf(live);
  const given = managedFieldsOf(next);
  if (subresource === "" && given !== undefined && given !== stored && !equal(given, stored)) {
    if (isReset(given)) return [];
    const owners = readable(given);
    if (owners.length > 0) return owners;
  }
  return readable(stored);
}

function readable(entries: ReturnType<typeof managedFieldsOf>): Owners {
  try {
    return decodeOwners(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isStored(object: JsonObject): boolean {
  const { metadata } = object;
  return isObject(metadata) && metadata["uid"] !== undefined && metadata["uid"] !== "";
}
