import type { JsonObject } from "pintle/kinds";
import { difference, type FieldSet, intersection, isEmpty, NONE, removeItems, toFieldSet, union, withNamedFields } from "pintle/merge";
import type { Owner, Owners } from "./owners.ts";
import { inVersion, type Schema, type Versioned } from "./versions.ts";

/**
 * The merged object without what its applier applied last time (`last`), does not apply this time, and nobody else
 * owns. `owners` already knows what is applied this time.
 */
export function prune(merged: JsonObject, owners: Owners, last: Owner | undefined, schema: Schema): JsonObject {
  if (last === undefined || isEmpty(last.set)) return merged;
  const then = inVersion(merged, last.apiVersion, schema);
  if (then === undefined) return merged;
  const without = removeItems(then.object, withNamedFields(last.set, then.shape), then.shape);
  const owned = withOwned(then, without, last.apiVersion, owners, schema);
  const pruned = withDangling(then, owned, last.set);
  return inVersion(pruned, schema.apiVersion, { ...schema, apiVersion: last.apiVersion, shape: then.shape })?.object ?? merged;
}

/** Brings back what somebody owns, version by version, the one of the last apply first. */
function withOwned(then: Versioned, pruned: JsonObject, apiVersion: string, owners: Owners, schema: Schema): Versioned {
  const byVersion = new Map<string, FieldSet>([[apiVersion, NONE]]);
  for (const owner of owners) byVersion.set(owner.apiVersion, union(byVersion.get(owner.apiVersion) ?? NONE, owner.set));
  let whole = then;
  let left: Versioned = { object: pruned, shape: then.shape };
  let at = apiVersion;
  for (const [version, set] of byVersion) {
    const from: Schema = { ...schema, apiVersion: at, shape: whole.shape };
    const wholeThere = inVersion(whole.object, version, from);
    const leftThere = inVersion(left.object, version, from);
    if (wholeThere === undefined || leftThere === undefined) continue;
    left = { object: restore(wholeThere, leftThere.object, set), shape: wholeThere.shape };
    whole = wholeThere;
    at = version;
  }
  return inVersion(left.object, apiVersion, { ...schema, apiVersion: at, shape: left.shape }) ?? left;
}

function restore({ object, shape }: Versioned, pruned: JsonObject, owned: FieldSet): JsonObject {
  const all = withNamedFields(toFieldSet(object, shape), shape);
  const kept = withNamedFields(toFieldSet(pruned, shape), shape);
  return removeItems(object, difference(all, union(kept, withNamedFields(owned, shape))), shape);
}

/** Brings back what went along with something else: only what was applied last time may go. */
function withDangling({ object, shape }: Versioned, pruned: Versioned, last: FieldSet): JsonObject {
  const all = withNamedFields(toFieldSet(object, shape), shape);
  const kept = withNamedFields(toFieldSet(pruned.object, shape), shape);
  return removeItems(object, intersection(difference(all, kept), withNamedFields(last, shape)), shape);
}
