import { discovery } from "../generated/discovery.ts";

/** A built-in group-version. */
export interface PublishedGroupVersion {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Groups are listed by falling groupPriority, the versions of a group by falling versionPriority. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly PublishedResource[];
}

export interface PublishedResource {
  /** Plural: "deployments". */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources: readonly PublishedSubresource[];
}

export interface PublishedSubresource {
  /** "status". */
  readonly name: string;
  readonly kind: string;
  /** Where the kind is not of its resource's group-version (scale: autoscaling/v1). */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

let parsed: readonly PublishedGroupVersion[] | undefined;

/** Every group-version a stock server serves, in its order: the core group, then groups and versions by priority. */
export function publishedGroupVersions(): readonly PublishedGroupVersion[] {
  parsed ??= discovery.split("\n").map((line) => JSON.parse(line) as PublishedGroupVersion);
  return parsed;
}
