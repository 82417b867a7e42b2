import { memoize } from "pintle/internal/memoize";
import { discovery } from "../generated/discovery.ts";

/** A built-in group-version. */
export interface PublishedGroupVersion {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Groups are listed by descending groupPriority, the versions of a group by descending versionPriority. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly PublishedResource[];
}

export interface PublishedResource {
  /** Plural name: "deployments". */
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
  /** Name of the subresource: "status". */
  readonly name: string;
  readonly kind: string;
  /** Group and version of the kind, if they differ from those of the resource (scale: autoscaling/v1). */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Returns all built-in group-versions in discovery order: the core group, then groups and versions by priority. */
export const listPublishedGroupVersions: () => readonly PublishedGroupVersion[] = memoize(() =>
  discovery.split("\n").map((line) => JSON.parse(line) as PublishedGroupVersion),
);
