import { extendObject } from "pintle/internal/json";
import type { JsonObject, ManagedFieldsEntry, OwnerReference } from "pintle/kinds";

/** Object metadata inside the pipeline: every field may still be missing. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly selfLink?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

const NONE: ObjectMeta = {};

/** Returns the metadata of an object that was decoded and pruned. */
export function getMetadata(object: JsonObject): ObjectMeta {
  return (object["metadata"] as ObjectMeta | undefined) ?? NONE;
}

/** Returns the object with some metadata changed; undefined removes a field. */
export function withMetadata(object: JsonObject, change: Partial<ObjectMeta>): JsonObject {
  const before = getMetadata(object) as Readonly<Record<string, unknown>>;
  const changes = change as Readonly<Record<string, unknown>>;
  let metadata: Record<string, unknown> | undefined;
  for (const field in changes) {
    const value = changes[field];
    if (value === before[field] && (value !== undefined || !(field in before))) continue;
    metadata ??= extendObject(before, {});
    // `delete` would turn the object into a dictionary, which is slow to read and large.
    if (value === undefined) metadata = omitKey(metadata, field);
    else metadata[field] = value;
  }
  return metadata === undefined && object["metadata"] !== undefined ? object : { ...object, metadata: (metadata ?? {}) as JsonObject };
}

/** Returns the object without a top-level field; the same object if it has no such field. */
export function omitField(object: JsonObject, field: string): JsonObject {
  return field in object ? (omitKey(object, field) as JsonObject) : object;
}

function omitKey(object: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> {
  const { [field]: _, ...rest } = object;
  return rest;
}

/** Returns the object with a top-level field copied from `from`, or removed where `from` lacks it. */
export function copyField(object: JsonObject, field: string, from: JsonObject): JsonObject {
  if (object[field] === from[field]) return object;
  return from[field] === undefined ? omitField(object, field) : { ...object, [field]: from[field] };
}
