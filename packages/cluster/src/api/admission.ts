import type { JsonObject } from "pintle/kinds";
import type { GroupVersion, ServedResource } from "./resource.ts";
import type { UserInfo } from "./user.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create that leaves the name to the server, and for what goes with its collection. */
  readonly name: string;
  /** Undefined on delete. */
  readonly object: JsonObject | undefined;
  /** Undefined on create. */
  readonly live: JsonObject | undefined;
  /** What the object is: not always of the resource's own kind, as a Scale or an Eviction shows. */
  readonly kind: GroupVersionKind;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly reinvocation: Reinvocation;
  readonly lookup: AdmissionLookup;
  /** Aborted when nobody waits for the answer any more. */
  signal(): AbortSignal;
  /** CreateOptions, UpdateOptions or DeleteOptions, as they were sent; undefined on connect. */
  options(): JsonObject | undefined;
  /** The client gets it as a Warning header. */
  warn(text: string): void;
  /** For those who look at requests later, as audit annotations are. The first word on a key counts. */
  annotate(key: string, value: string): void;
}

/** What of the server plugins may want to know beyond the request. */
export interface AdmissionLookup {
  /** Everything that is served of the same stored objects: all versions, and events of the other group. */
  equivalents(resource: ServedResource): readonly ServedResource[];
  /** An object of one of those in another. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): Promise<JsonObject>;
  /** The resource of a kind, if there is one. */
  served(apiVersion: string, kind: string): ServedResource | undefined;
  /** What is stored of a resource, in its version: in one namespace, or everywhere. */
  stored(resource: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
}

/** The mutating half runs twice where something in it wants that; shared by all plugins of one request. */
export interface Reinvocation {
  /** A plugin has changed what plugins before it may want to see again. */
  wanted: boolean;
  /** This is the second round. */
  again: boolean;
}

/** One link of the admission chain. Throws an ApiError to refuse. Most have nothing to say about most requests: then nothing is waited for. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May return a changed object; not called with an object on delete, where it can only refuse. */
  admit?(request: AdmissionRequest): Promise<JsonObject | undefined> | undefined;
  /** Sees the object as it will be stored. */
  validate?(request: AdmissionRequest): Promise<void> | undefined;
}

/** Runs the mutating halves in order, and once more if one of them wants it; each sees what the one before made. */
export async function admit(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
  const object = await admitOnce(plugins, request);
  const { reinvocation } = request;
  if (!reinvocation.wanted) return object;
  reinvocation.again = true;
  return admitOnce(plugins, object === request.object ? request : { ...request, object });
}

async function admitOnce(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
  let seen = request;
  for (const plugin of plugins) {
    const answer = plugin.admit?.(seen);
    const object = answer === undefined ? undefined : await answer;
    if (object !== undefined) seen = { ...request, object };
  }
  return seen.object;
}

export async function validate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) {
    const answer = plugin.validate?.(request);
    if (answer !== undefined) await answer;
  }
}
