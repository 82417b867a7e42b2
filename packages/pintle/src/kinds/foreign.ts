import { type Kind, kind, type Scope } from "./kind.ts";
import type { DesiredMetadata, DesiredNamespacedMetadata, Metadata, NamespacedMetadata } from "./meta.ts";

/** An object of a kind whose types are not known: metadata is typed, the rest is for the reader to check. */
export interface ForeignObject<S extends Scope = Scope> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: [S] extends ["Namespaced"] ? NamespacedMetadata : Metadata;
  readonly [field: string]: unknown;
}

export interface ForeignDesired<S extends Scope = Scope> {
  readonly metadata: [S] extends ["Cluster"] ? DesiredMetadata : DesiredNamespacedMetadata;
  readonly [field: string]: unknown;
}

export interface ForeignFacts<G extends string, V extends string, K extends string, S extends Scope> {
  /** "" for the core group. */
  readonly group: G;
  readonly version: V;
  readonly kind: K;
  readonly plural: string;
  readonly scope: S;
  readonly subresources?: readonly string[] | undefined;
}
export type IdFrom<G extends string, V extends string, K extends string> = G extends "" ? `${V}/${K}` : `${G}/${V}/${K}`;

/**
 * A kind that somebody else's CRD defines, without types. Plural and scope are given because RBAC is derived before
 * any cluster can be asked. For typed foreign kinds run the generator on the CRD.
 *
 *     const ServiceMonitor = foreign({ group: "monitoring.coreos.com", version: "v1", kind: "ServiceMonitor", plural: "servicemonitors", scope: "Namespaced" });
 */
export function foreign<const G extends string, const V extends string, const K extends string, const S extends Scope>(
  facts: ForeignFacts<G, V, K, S>,
): Kind<IdFrom<G, V, K>, ForeignObject<S>, ForeignDesired<S>, S> {
  const id = (facts.group === "" ? `${facts.version}/${facts.kind}` : `${facts.group}/${facts.version}/${facts.kind}`) as IdFrom<G, V, K>;
  return kind(id, facts.plural, facts.scope, { subresources: facts.subresources ?? [] });
}
