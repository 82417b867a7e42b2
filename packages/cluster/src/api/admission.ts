import type { JsonObject } from "pintle/kinds";
import type { ServedResource } from "./resource.ts";
import type { UserInfo } from "./user.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create that leaves the name to the server. */
  readonly name: string;
  /** Undefined on delete. */
  readonly object: JsonObject | undefined;
  /** Undefined on create. */
  readonly live: JsonObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The client gets it as a Warning header. */
  warn(text: string): void;
}

/** One link of the admission chain. Throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May return a changed object; not called with an object on delete, where it can only refuse. */
  admit?(request: AdmissionRequest): Promise<JsonObject | undefined>;
  /** Sees the object as it will be stored. */
  validate?(request: AdmissionRequest): Promise<void>;
}

/** Runs the mutating halves in order; each sees what the one before made. */
export async function admit(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
  let object = request.object;
  for (const plugin of plugins) {
    if (plugin.admit === undefined) continue;
    object = (await plugin.admit({ ...request, object })) ?? object;
  }
  return object;
}

export async function validate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) await plugin.validate?.(request);
}
