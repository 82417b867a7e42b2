import { type Client, NotFound } from "pintle/client";
import { isJsonObject, stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { FIELD_MANAGER, objectRef, redactError, resolveKind } from "./apply.ts";
import { maskSecretValues } from "./mask-secrets.ts";

/** What applying an object would change; `fields` is empty for an object that would be created. */
export interface ObjectDiff {
  readonly change: "created" | "changed";
  readonly fields: readonly FieldChange[];
}
export interface FieldChange {
  /** "spec.template.spec.containers[0].image" */
  readonly path: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

/**
 * Compares an object with the result of a server-side dry run, so that defaulting, admission and other field managers are considered.
 * Returns undefined if nothing would change. Values of Secrets are masked.
 */
export async function diffObject(client: Client, object: JsonObject, signal: AbortSignal): Promise<ObjectDiff | undefined> {
  try {
    const kind = await resolveKind(client, object, signal);
    const before = await client.find(kind, objectRef(object), { signal });
    if (before === undefined) return { change: "created", fields: [] };
    const after = await client.apply(kind, object as never, { fieldManager: FIELD_MANAGER, dryRun: true, force: true, signal });
    const [from, to] = maskSecretValues(
      withoutServerFields(before as unknown as JsonObject),
      withoutServerFields(after as unknown as JsonObject),
    );
    const fields = diffFields(from, to);
    return fields.length === 0 ? undefined : { change: "changed", fields };
  } catch (error) {
    // The kind or namespace is part of the same deployment.
    if (error instanceof NotFound) return { change: "created", fields: [] };
    throw redactError(object, error);
  }
}

/** Removes status and the metadata that the API server maintains. */
function withoutServerFields({ status: _, metadata, ...rest }: JsonObject): JsonObject {
  const {
    managedFields: __,
    resourceVersion: ___,
    generation: ____,
    uid: _____,
    creationTimestamp: ______,
    ...meta
  } = metadata as JsonObject;
  return { ...rest, metadata: meta };
}

/** Returns every changed leaf, in field order. */
export function diffFields(from: Json | undefined, to: Json | undefined, path = ""): readonly FieldChange[] {
  if (isJsonObject(from) && isJsonObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return names.flatMap((name) =>
      diffFields(from[name], to[name], /^[\w-]+$/.test(name) ? (path === "" ? name : `${path}.${name}`) : `${path}["${name}"]`),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, i) => diffFields(from[i] as Json, to[i] as Json, `${path}[${i}]`)).flat();
  }
  return stringifyJson(from) === stringifyJson(to)
    ? []
    : [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}
