import { extended, type JsonObject, type ManagedFieldsEntry, type OwnerReference } from "pintle/kinds";

/** Metadata on its way through the pipeline: anything may still be missing. */
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

/** Only for objects that went through `coerceMetadata`. */
export function metadataOf(object: JsonObject): ObjectMeta {
  return (object["metadata"] as ObjectMeta | undefined) ?? NONE;
}

/** The object with some metadata changed; undefined removes a field. */
export function withMetadata(object: JsonObject, change: Partial<ObjectMeta>): JsonObject {
  const before = metadataOf(object) as Readonly<Record<string, unknown>>;
  const changes = change as Readonly<Record<string, unknown>>;
  let metadata: Record<string, unknown> | undefined;
  for (const field in changes) {
    const value = changes[field];
    if (value === before[field] && (value !== undefined || !(field in before))) continue;
    metadata ??= extended(before, {});
    // A deleted field would make a dictionary of the object, which is slow to read and large to keep.
    if (value === undefined) metadata = omit(metadata, field);
    else metadata[field] = value;
  }
  return metadata === undefined && object["metadata"] !== undefined ? object : { ...object, metadata: (metadata ?? {}) as JsonObject };
}

/** The object without a top-level field; itself when it has none. */
export function without(object: JsonObject, field: string): JsonObject {
  return field in object ? (omit(object, field) as JsonObject) : object;
}

function omit(object: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> {
  const { [field]: _, ...rest } = object;
  return rest;
}

/** The object with a top-level field as `from` has it, or without when `from` has none. */
export function withFieldOf(object: JsonObject, field: string, from: JsonObject): JsonObject {
  if (object[field] === from[field]) return object;
  return from[field] === undefined ? without(object, field) : { ...object, [field]: from[field] };
}
