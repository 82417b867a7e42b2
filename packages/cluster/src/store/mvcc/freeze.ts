import { setOwnProperty } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

/**
 * Freezes a JSON value deeply, in place. A frozen part is taken to be deeply frozen, which makes copy-on-write cheap: only new parts are
 * visited.
 */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/**
 * Returns the value with `metadata.resourceVersion` set, frozen. `managedFields` come last in the metadata, as `layoutValue` requires.
 * Takes ownership of `value`: it is frozen, not copied.
 */
export function stampResourceVersion(value: JsonObject, revision: number): JsonObject {
  const current = value["metadata"] as JsonObject;
  const { managedFields } = current;
  const metadata: Record<string, Json> = {};
  for (const name in current) if (name !== "managedFields") setOwnProperty(metadata, name, current[name] as Json);
  metadata["resourceVersion"] = String(revision);
  if (managedFields !== undefined) metadata["managedFields"] = managedFields;
  return deepFreeze({ ...value, metadata });
}
