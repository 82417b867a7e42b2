import type { Json, JsonObject, Shape } from "pintle/kinds";
import type { VersionConverter } from "../../packages/cluster/src/apply/index.ts";
import type { Random } from "./random.ts";

export type Verb = "create" | "update" | "apply" | "json" | "merge" | "strategic";

/** A write request of one field manager. */
export interface WriteRequest {
  readonly verb: Verb;
  readonly apiVersion: string;
  readonly manager: string;
  readonly force: boolean;
  /** "" or "status" */
  readonly subresource: string;
  readonly body: Json;
}

/** A kind to compare, with what the embedded code must know about it. */
export interface ComparedKind {
  readonly name: string;
  readonly kind: string;
  readonly apiVersions: readonly string[];
  path(apiVersion: string, name: string, subresource: string): string;
  collection(apiVersion: string): string;
  shape(apiVersion: string): Shape;
  readonly zeroValue: JsonObject;
  /** Paths that an endpoint takes from the stored object, whatever is sent. */
  resetPaths(subresource: string): readonly (readonly string[])[];
  readonly convert?: VersionConverter;
  /** Applies the server's defaults, as far as they matter here. */
  defaults(object: JsonObject): JsonObject;
  /** Converts an object to its stored form. */
  toStored(object: JsonObject): JsonObject;
  /** True if all defaults are implemented here, so that stored objects are compared exactly. */
  readonly knowsDefaults: boolean;
  /** A random apply configuration. */
  config(random: Random, name: string, subresource: string): JsonObject;
  /** A random complete object to create. */
  object(random: Random, name: string): JsonObject;
  /** Fields that the server sets after it has updated managedFields. */
  readonly setAfterOwnership: readonly (readonly string[])[];
  readonly verbs: readonly Verb[];
}
