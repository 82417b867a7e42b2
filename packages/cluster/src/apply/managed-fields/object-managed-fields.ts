import { extendObject, isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { encodeManagedFields, type FieldManagers } from "./field-managers.ts";

export function getManagedFields(object: JsonObject): Json | undefined {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata["managedFields"] : undefined;
}

export function removeManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata["managedFields"] === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Returns the object with the managers encoded as managedFields. */
export function setManagedFields(object: JsonObject, managers: FieldManagers): JsonObject {
  const entries = encodeManagedFields(managers);
  if (entries === undefined) return removeManagedFields(object);
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: extendObject(metadata, { managedFields: entries as unknown as Json }) };
}

/** Whether the entries request to clear all managers: an empty list, or one empty entry. */
export function isManagedFieldsReset(entries: Json | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries as readonly Json[];
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}
