import {
  difference,
  EMPTY_FIELD_SET,
  ensureNamedFieldsAreMembers,
  type FieldSet,
  intersection,
  isEmptySet,
  removeItems,
  toFieldSet,
  union,
} from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { FieldManager, FieldManagers } from "./field-managers.ts";
import { convertToVersion, type ManagedFieldsSchema, type ObjectInVersion, type WithConversions } from "./versions.ts";

/**
 * Removes fields that the applier applied last time (`last`), does not apply now, and no other manager owns. `managers` includes the
 * current apply.
 */
export function* pruneUnappliedFields(
  merged: JsonObject,
  managers: FieldManagers,
  last: FieldManager | undefined,
  schema: ManagedFieldsSchema,
): WithConversions<JsonObject> {
  if (last === undefined || isEmptySet(last.set)) return merged;
  const then = yield* convertToVersion(merged, last.apiVersion, schema);
  if (then === undefined) return merged;
  const without = removeItems(then.object, ensureNamedFieldsAreMembers(last.set, then.shape), then.shape);
  const owned = yield* restoreOwnedFields(then, without, last.apiVersion, managers, schema);
  const pruned = restoreDanglingFields(then, owned, last.set);
  const back = yield* convertToVersion(pruned, schema.apiVersion, { ...schema, apiVersion: last.apiVersion, shape: then.shape });
  return back?.object ?? merged;
}

/** Restores fields that a manager owns, version by version, starting with that of the last apply. */
function* restoreOwnedFields(
  then: ObjectInVersion,
  pruned: JsonObject,
  apiVersion: string,
  managers: FieldManagers,
  schema: ManagedFieldsSchema,
): WithConversions<ObjectInVersion> {
  const byVersion = new Map<string, FieldSet>([[apiVersion, EMPTY_FIELD_SET]]);
  for (const manager of managers)
    byVersion.set(manager.apiVersion, union(byVersion.get(manager.apiVersion) ?? EMPTY_FIELD_SET, manager.set));
  let whole = then;
  let left: ObjectInVersion = { object: pruned, shape: then.shape };
  let at = apiVersion;
  for (const [version, set] of byVersion) {
    const from: ManagedFieldsSchema = { ...schema, apiVersion: at, shape: whole.shape };
    const wholeThere = yield* convertToVersion(whole.object, version, from);
    const leftThere = yield* convertToVersion(left.object, version, from);
    if (wholeThere === undefined || leftThere === undefined) continue;
    left = { object: restoreFields(wholeThere, leftThere.object, set), shape: wholeThere.shape };
    whole = wholeThere;
    at = version;
  }
  return (yield* convertToVersion(left.object, apiVersion, { ...schema, apiVersion: at, shape: left.shape })) ?? left;
}

function restoreFields({ object, shape }: ObjectInVersion, pruned: JsonObject, owned: FieldSet): JsonObject {
  const all = ensureNamedFieldsAreMembers(toFieldSet(object, shape), shape);
  const retained = ensureNamedFieldsAreMembers(toFieldSet(pruned, shape), shape);
  return removeItems(object, difference(all, union(retained, ensureNamedFieldsAreMembers(owned, shape))), shape);
}

/** Restores fields that were removed along with another field: only fields applied last time may be removed. */
function restoreDanglingFields({ object, shape }: ObjectInVersion, pruned: ObjectInVersion, last: FieldSet): JsonObject {
  const all = ensureNamedFieldsAreMembers(toFieldSet(object, shape), shape);
  const retained = ensureNamedFieldsAreMembers(toFieldSet(pruned.object, shape), shape);
  return removeItems(object, intersection(difference(all, retained), ensureNamedFieldsAreMembers(last, shape)), shape);
}
