import { type Json, type JsonObject, setOwn } from "pintle/kinds";

/**
 * Freezes a JSON value through and through, in place. A part that is frozen already is taken to be so all the way
 * down, which makes copy-on-write cheap: only the new parts are walked.
 */
export function freeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/**
 * The value as of `revision`, frozen. Who owns which field comes last in its metadata, as `layout` wants it. Callers hand over what they
 * put in: it is frozen, not copied.
 */
export function stamp(value: JsonObject, revision: number): JsonObject {
  const given = value["metadata"] as JsonObject;
  const { managedFields } = given;
  const metadata: Record<string, Json> = {};
  for (const name in given) if (name !== "managedFields") setOwn(metadata, name, given[name] as Json);
  metadata["resourceVersion"] = String(revision);
  if (managedFields !== undefined) metadata["managedFields"] = managedFields;
  return freeze({ ...value, metadata });
}
