import { type Client, NotFound } from "pintle/client";
import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { kindOf, MANAGER, refOf } from "./apply.ts";

/** What applying an object would do to it; `fields` is empty for one that is not there yet. */
export interface Difference {
  readonly change: "created" | "changed";
  readonly fields: readonly FieldChange[];
}
export interface FieldChange {
  /** "spec.template.spec.containers[0].image" */
  readonly path: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

/** By server-side dry run: defaults, admission and fields of others count. Undefined: nothing would change. */
export async function difference(client: Client, object: JsonObject, signal: AbortSignal): Promise<Difference | undefined> {
  try {
    const kind = await kindOf(client, object, signal);
    const before = await client.find(kind, refOf(object), { signal });
    if (before === undefined) return { change: "created", fields: [] };
    const after = await client.apply(kind, object as never, { fieldManager: MANAGER, dryRun: true, force: true, signal });
    const fields = fieldChanges(visible(before as unknown as JsonObject), visible(after as unknown as JsonObject));
    return fields.length === 0 ? undefined : { change: "changed", fields };
  } catch (error) {
    // A kind or a namespace that comes with the same deployment.
    if (error instanceof NotFound) return { change: "created", fields: [] };
    throw error;
  }
}

/** Without what the server keeps for itself. */
function visible({ status: _, metadata, ...rest }: JsonObject): JsonObject {
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

/** Every leaf that is another one, in order of the fields. */
export function fieldChanges(from: Json | undefined, to: Json | undefined, path = ""): readonly FieldChange[] {
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return names.flatMap((name) =>
      fieldChanges(from[name], to[name], /^[\w-]+$/.test(name) ? (path === "" ? name : `${path}.${name}`) : `${path}["${name}"]`),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, i) => fieldChanges(from[i] as Json, to[i] as Json, `${path}[${i}]`)).flat();
  }
  return JSON.stringify(from) === JSON.stringify(to)
    ? []
    : [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}
