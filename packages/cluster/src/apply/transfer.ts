import type { JsonObject } from "pintle/kinds";
import { difference, type FieldSet, intersection, isEmpty, paths, reshape } from "pintle/merge";
import { type Conflict, conflictError } from "./conflict.ts";
import type { Owner, Owners } from "./owners.ts";
import { type Changes, changesIn, inVersion, type Schema } from "./versions.ts";

export interface Transfer {
  readonly owners: Map<string, Owner>;
  /** What changed in the version of the request. */
  readonly changes: Changes;
}

/** Owners whose sets fit the schema of today; whose version is gone is gone with it. */
export function currentOwners(owners: Owners, live: JsonObject, schema: Schema): Map<string, Owner> {
  const current = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const shape = inVersion(live, owner.apiVersion, schema)?.shape;
    if (shape !== undefined) current.set(id, owning(owner, reshape(owner.set, shape)));
  }
  return current;
}

/**
 * What a change does to those who own something: everybody but `self` loses what changed and what is gone, and
 * whoever has nothing left leaves. Without `force` it is a conflict when a change takes something from somebody.
 */
export function transfer(
  before: JsonObject,
  after: JsonObject,
  owners: Owners,
  schema: Schema,
  { self, force }: { readonly self?: string; readonly force: boolean },
): Transfer {
  const changes = changesIn(before, after, schema);
  const conflicts: Conflict[] = [];
  const left = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    if (id === self) {
      if (!isEmpty(owner.set)) left.set(id, owner);
      continue;
    }
    const here = changes(owner.apiVersion);
    if (here === undefined) continue;
    if (!force) {
      for (const path of paths(intersection(owner.set, here.taken))) conflicts.push({ id, owner, path });
    }
    const set = difference(difference(owner.set, here.taken), here.removed);
    if (!isEmpty(set)) left.set(id, owning(owner, set));
  }
  if (conflicts.length > 0) throw conflictError(conflicts);
  return { owners: left, changes: changes(schema.apiVersion)! };
}

/** The same owner of another set; the same object when the set is the same. */
export function owning(owner: Owner, set: FieldSet): Owner {
  return owner.set === set ? owner : { ...owner, set };
}
