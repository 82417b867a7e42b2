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

/** One link of the admission chain. Throws an ApiError to refuse. Most have nothing to say about most requests: then nothing is waited for. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May return a changed object; not called with an object on delete, where it can only refuse. */
  admit?(request: AdmissionRequest): Promise<JsonObject | undefined> | undefined;
  /** Sees the object as it will be stored. */
  validate?(request: AdmissionRequest): Promise<void> | undefined;
}

/** Runs the mutating halves in order; each sees what the one before made. */
export async function admit(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
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
