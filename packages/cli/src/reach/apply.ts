import type { Client, DynamicKind } from "pintle/client";
import { Conflict, Forbidden, Invalid } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../command.ts";

export const MANAGER = "pintle";
export type Outcome = "created" | "changed" | "unchanged";

/** One object by server-side apply. What others manage in it is not taken from them. */
export async function apply(client: Client, object: JsonObject, signal: AbortSignal): Promise<Outcome> {
  const kind = await kindOf(client, object, signal);
  const ref = refOf(object);
  const before = await client.find(kind, ref, { signal });
  try {
    const after = await client.apply(kind, object as never, { fieldManager: MANAGER, signal });
    if (before === undefined) return "created";
    return before.metadata["resourceVersion"] === after.metadata["resourceVersion"] ? "unchanged" : "changed";
  } catch (error) {
    if (error instanceof Conflict) {
      throw new CommandError(
        `pintle: ${nameOf(object)} is also managed by someone else: ${error.message}. Settle who owns the field, or remove it there`,
      );
    }
    if (error instanceof Forbidden || error instanceof Invalid) throw new CommandError(`pintle: ${nameOf(object)}: ${error.message}`);
    throw error;
  }
}

/** False when it was not there. */
export async function remove(client: Client, object: JsonObject, signal: AbortSignal): Promise<boolean> {
  const kind = await kindOf(client, object, signal).catch(() => undefined);
  if (kind === undefined || (await client.find(kind, refOf(object), { signal })) === undefined) return false;
  await client.delete(kind, refOf(object), { propagation: "Background", signal });
  return true;
}

export async function waitGone(client: Client, object: JsonObject, signal: AbortSignal): Promise<void> {
  await client.waitGone(await kindOf(client, object, signal), refOf(object), { signal });
}

export function kindOf(client: Client, { apiVersion, kind }: JsonObject, signal: AbortSignal): Promise<DynamicKind> {
  return client.kind(String(apiVersion), String(kind), { signal });
}

export function refOf({ metadata }: JsonObject): { readonly name: string; readonly namespace: string } {
  return metadata as { readonly name: string; readonly namespace: string };
}

/** "ClusterRole shop-manager-role" */
export function nameOf({ kind, metadata }: JsonObject): string {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  return `${String(kind)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
