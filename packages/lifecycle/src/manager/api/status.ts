import type { Client } from "pintle/client";
import type { Json } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { AnyKind, Metadata } from "pintle/kinds";

interface ObjectWithStatus {
  readonly metadata: Metadata;
  readonly status?: unknown;
}

/** Replaces the status if it has changed. Throws `Conflict` if the object has changed since it was read. */
export async function writeStatus<T extends ObjectWithStatus>(
  client: Client,
  kind: AnyKind,
  object: T,
  status: object,
  fieldManager: string,
): Promise<T> {
  const fields = Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
  if (isJsonEqual(fields as Json, (object.status ?? {}) as Json)) return object;
  return (await client.status.replace(kind, { ...object, status: fields } as never, { fieldManager })) as T;
}

/** Replaces the finalizers. The resourceVersion guarantees that the list that is replaced is the list that was read. */
export async function writeFinalizers<T extends ObjectWithStatus>(
  client: Client,
  kind: AnyKind,
  object: T,
  finalizers: readonly string[],
  fieldManager: string,
): Promise<T> {
  const { name, uid, resourceVersion } = object.metadata;
  const merge = { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
  return (await client.patch(kind, { name } as never, { merge }, { fieldManager })) as T;
}
