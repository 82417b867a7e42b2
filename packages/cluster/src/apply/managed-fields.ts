import { extended, isObject, type Json, type JsonObject } from "pintle/kinds";
import { encodeOwners, type Owners } from "./owners.ts";

export function managedFieldsOf(object: JsonObject): Json | undefined {
  const { metadata } = object;
  return isObject(metadata) ? metadata["managedFields"] : undefined;
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata["managedFields"] === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object, owned like this. */
export function withOwners(object: JsonObject, owners: Owners): JsonObject {
  const entries = encodeOwners(owners);
  if (entries === undefined) return withoutManagedFields(object);
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: extended(metadata, { managedFields: entries as unknown as Json }) };
}

/** Written into an object, it asks to forget all owners: an empty list, or one empty entry. */
export function isReset(entries: Json | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries as readonly Json[];
  return entries.length === 0 || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0);
}
