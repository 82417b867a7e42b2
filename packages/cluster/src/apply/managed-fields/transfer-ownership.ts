import { difference, intersection, isEmptySet, iteratePaths, reconcileFieldSetWithShape } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { buildConflictError, type FieldConflict } from "./apply-conflict.ts";
import { type FieldManager, type FieldManagers, withFieldSet } from "./field-managers.ts";
import {
  createVersionComparer,
  type FieldChanges,
  type ManagedFieldsSchema,
  type ObjectVersions,
  PAUSE,
  type WithConversions,
} from "./versions.ts";

export interface OwnershipTransfer {
  readonly managers: FieldManagers;
  /** Changes in the version of the request. */
  readonly changes: FieldChanges;
}

export interface TransferOptions {
  /** The manager that makes the change. */
  readonly self?: string;
  readonly force: boolean;
  /** Both states in the versions of the managers, where those differ from the version of the request. */
  readonly beforeVersions?: ObjectVersions | undefined;
  readonly afterVersions?: ObjectVersions | undefined;
}

/** Adapts the field sets to the current schema, and drops managers whose version no longer exists. */
export function reconcileManagersWithSchema(
  managers: FieldManagers,
  schema: ManagedFieldsSchema,
  liveVersions?: ObjectVersions,
): FieldManagers {
  if (liveVersions === undefined && managers.every(({ fittingShape }) => fittingShape === schema.shape)) return managers;
  return managers.flatMap((manager) => {
    const isSameVersion = liveVersions === undefined || manager.apiVersion === schema.apiVersion;
    const shape = isSameVersion ? schema.shape : liveVersions.get(manager.apiVersion)?.shape;
    if (shape === undefined) return [];
    if (manager.fittingShape === shape) return [manager];
    return [{ ...withFieldSet(manager, { set: reconcileFieldSetWithShape(manager.set, shape) }), fittingShape: shape }];
  });
}

/**
 * Removes changed and removed fields from every manager except `self`, and managers whose set becomes empty. Without `force` a change of
 * a field that another manager owns throws a conflict.
 */
export function* transferOwnership(
  before: JsonObject,
  after: JsonObject,
  managers: FieldManagers,
  schema: ManagedFieldsSchema,
  { self, force, beforeVersions, afterVersions }: TransferOptions,
): WithConversions<OwnershipTransfer> {
  const changes = createVersionComparer(before, after, schema, beforeVersions, afterVersions);
  const conflicts: FieldConflict[] = [];
  const left: FieldManager[] = [];
  for (const manager of managers) {
    if (manager.id === self) {
      if (!isEmptySet(manager.set)) left.push(manager);
      continue;
    }
    const here = changes(manager.apiVersion);
    if (here === undefined) continue;
    yield PAUSE;
    if (!force) for (const path of iteratePaths(intersection(manager.set, here.changed))) conflicts.push({ manager, path });
    const set = difference(difference(manager.set, here.changed), here.removed);
    if (!isEmptySet(set)) left.push(withFieldSet(manager, { set }));
  }
  yield PAUSE;
  if (conflicts.length > 0) throw buildConflictError(conflicts);
  return { managers: left, changes: changes(schema.apiVersion)! };
}
