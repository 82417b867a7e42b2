import type { JsonObject } from "pintle/kinds";
import { difference, intersection, isEmpty, paths, reshape } from "pintle/merge";
import { type Conflict, conflictError } from "./conflict.ts";
import { changed, type Owner, type Owners } from "./owners.ts";
import { type Changes, changesIn, inVersion, type Schema } from "./versions.ts";

export interface Transfer {
  readonly owners: Owners;
  /** What changed in the version of the request. */
  readonly changes: Changes;
}

/** Owners whose sets fit the schema of today; whose version is gone is gone with it. */
export function currentOwners(owners: Owners, live: JsonObject, schema: Schema): Owners {
  if (schema.convert === undefined && owners.every(({ fits }) => fits === schema.shape)) return owners;
  return owners.flatMap((owner) => {
    const shape = inVersion(live, owner.apiVersion, schema)?.shape;
    if (shape === undefined) return [];
    return owner.fits === shape ? [owner] : [{ ...changed(owner, { set: reshape(owner.set, shape) }), fits: shape }];
  });
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
  const left: Owner[] = [];
  for (const owner of owners) {
    if (owner.id === self) {
      if (!isEmpty(owner.set)) left.push(owner);
      continue;
    }
    const here = changes(owner.apiVersion);
    if (here === undefined) continue;
    if (!force) for (const path of paths(intersection(owner.set, here.taken))) conflicts.push({ owner, path });
    const set = difference(difference(owner.set, here.taken), here.removed);
    if (!isEmpty(set)) left.push(changed(owner, { set }));
  }
  if (conflicts.length > 0) throw conflictError(conflicts);
  return { owners: left, changes: changes(schema.apiVersion)! };
}
