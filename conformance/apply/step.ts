import type { Json, JsonObject, Shape } from "pintle/kinds";
import type { Convert } from "../../packages/cluster/src/apply/index.ts";
import type { Random } from "./random.ts";

export type Verb = "create" | "update" | "apply" | "json" | "merge" | "strategic";

/** One request of one manager. */
export interface Step {
  readonly verb: Verb;
  readonly apiVersion: string;
  readonly manager: string;
  readonly force: boolean;
  /** "" or "status" */
  readonly subresource: string;
  readonly body: Json;
}

/** A kind that is compared, with everything our side must know about it. */
export interface Subject {
  readonly name: string;
  readonly kind: string;
  readonly apiVersions: readonly string[];
  path(apiVersion: string, name: string, subresource: string): string;
  collection(apiVersion: string): string;
  shape(apiVersion: string): Shape;
  readonly blank: JsonObject;
  /** What an endpoint takes from the stored object, whatever is sent. */
  resets(subresource: string): readonly (readonly string[])[];
  readonly convert?: Convert;
  /** What the server fills in after apply and before it stores, as far as it matters here. */
  defaults(object: JsonObject): JsonObject;
  /** The form in which the server keeps it. */
  stored(object: JsonObject): JsonObject;
  /** Exactly what the server stores, where we know all its defaults. */
  readonly exact: boolean;
  /** What a manager applies: a random part of an object. */
  config(random: Random, name: string, subresource: string): JsonObject;
  /** A whole object to create. */
  object(random: Random, name: string): JsonObject;
  /** Fields that the server sets by itself after it has recorded the owners. */
  readonly late: readonly (readonly string[])[];
  readonly verbs: readonly Verb[];
}
