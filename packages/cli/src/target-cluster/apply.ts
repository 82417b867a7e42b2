import { type Client, Conflict, type DynamicKind, Forbidden, Invalid, RequestError } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../command/index.ts";
import { redactSecretValues } from "./mask-secrets.ts";

export const FIELD_MANAGER = "pintle";
export type ApplyOutcome = "created" | "changed" | "unchanged";

/** Applies an object with server-side apply, without forcing fields of other managers. */
export async function applyObject(client: Client, object: JsonObject, signal: AbortSignal): Promise<ApplyOutcome> {
  const kind = await resolveKind(client, object, signal);
  const ref = objectRef(object);
  const before = await client.find(kind, ref, { signal });
  try {
    const after = await client.apply(kind, object as never, { fieldManager: FIELD_MANAGER, signal });
    if (before === undefined) return "created";
    return before.metadata["resourceVersion"] === after.metadata["resourceVersion"] ? "unchanged" : "changed";
  } catch (error) {
    if (error instanceof Conflict) {
      throw new CommandError(
        "PINTLE7055",
        `${formatObjectName(object)} has a field that another manager owns: ${redactSecretValues(object, error.message)}. Remove the field from one of them`,
      );
    }
    if (error instanceof Forbidden || error instanceof Invalid)
      throw new CommandError("PINTLE7056", prefixName(object, redactSecretValues(object, error.message)));
    throw redactError(object, error);
  }
}

/** Returns an error of a request with an object; one that repeats values of a Secret is replaced. */
export function redactError(object: JsonObject, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const message = redactSecretValues(object, error.message);
  return message === error.message ? error : new CommandError("PINTLE7056", prefixName(object, message));
}

/** Puts the name of the object before a message that does not begin with it. */
function prefixName(object: JsonObject, message: string): string {
  const name = formatObjectName(object);
  return message.startsWith(`${name}: `) ? message : `${name}: ${message}`;
}

/** Deletes an object. Returns false if it does not exist. */
export async function deleteObject(client: Client, object: JsonObject, signal: AbortSignal): Promise<boolean> {
  const kind = await resolveKind(client, object, signal).catch(() => undefined);
  if (kind === undefined || (await client.find(kind, objectRef(object), { signal })) === undefined) return false;
  await client.delete(kind, objectRef(object), { propagation: "Background", signal });
  return true;
}

export async function waitUntilDeleted(client: Client, object: JsonObject, signal: AbortSignal): Promise<void> {
  await client.waitForDeletion(await resolveKind(client, object, signal), objectRef(object), { signal });
}

export function resolveKind(client: Client, { apiVersion, kind }: JsonObject, signal: AbortSignal): Promise<DynamicKind> {
  return client.discoverKind(String(apiVersion), String(kind), { signal });
}

export function objectRef({ metadata }: JsonObject): { readonly name: string; readonly namespace: string } {
  return metadata as { readonly name: string; readonly namespace: string };
}

/** Formats an object unambiguously: "ClusterRole shop-manager-role", "Deployment shop-system/shop-controller-manager". */
export function formatObjectName({ kind, metadata }: JsonObject): string {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  return `${String(kind)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Formats the outcome for an object as kubectl does: "deployment.apps/shop-controller-manager configured". */
export function formatOutcome({ apiVersion, kind, metadata }: JsonObject, outcome: ApplyOutcome | "deleted"): string {
  const [group, version] = String(apiVersion).split("/");
  const { name } = metadata as { readonly name: string };
  const resource = `${String(kind).toLowerCase()}${version === undefined ? "" : `.${group}`}`;
  return `${resource}/${name} ${outcome === "changed" ? "configured" : outcome}`;
}
