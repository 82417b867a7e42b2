import { defineKind, type Kind, type Scope } from "./kind.ts";
import type { DesiredMetadata, DesiredNamespacedMetadata, Metadata, NamespacedMetadata } from "./meta.ts";

/** An object of an untyped kind: metadata is typed, other fields are unknown. */
export interface UntypedObject<S extends Scope = Scope> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: [S] extends ["Namespaced"] ? NamespacedMetadata : Metadata;
  readonly [field: string]: unknown;
}

/** The body of a desired object of an untyped kind. */
export interface UntypedDesired<S extends Scope = Scope> {
  readonly metadata: [S] extends ["Cluster"] ? DesiredMetadata : DesiredNamespacedMetadata;
  readonly [field: string]: unknown;
}

/** Group, version, kind, plural and scope of an untyped kind. */
export interface UntypedKindOptions<G extends string, V extends string, K extends string, S extends Scope> {
  /** The API group; "" for core kinds. */
  readonly group: G;
  /** The version: "v1". */
  readonly version: V;
  /** The kind: "ServiceMonitor". */
  readonly kind: K;
  /** The name in paths and RBAC rules: "servicemonitors". */
  readonly plural: string;
  /** "Namespaced" or "Cluster". */
  readonly scope: S;
  /** The subresources that are served: "status", "scale". Default: none. */
  readonly subresources?: readonly string[] | undefined;
}
/** The id of a kind: "apps/v1/Deployment", "v1/Pod". */
export type KindId<G extends string, V extends string, K extends string> = G extends "" ? `${V}/${K}` : `${G}/${V}/${K}`;

/**
 * Returns a kind without types, for a CustomResourceDefinition of another project. Plural and scope are required because RBAC rules are
 * derived without a cluster.
 *
 * @example
 * ```ts
 * import { defineUntypedKind } from "pintle";
 *
 * export const ServiceMonitor = defineUntypedKind({
 *   group: "monitoring.coreos.com",
 *   version: "v1",
 *   kind: "ServiceMonitor",
 *   plural: "servicemonitors",
 *   scope: "Namespaced",
 * });
 * ```
 */
export function defineUntypedKind<const G extends string, const V extends string, const K extends string, const S extends Scope>(
  options: UntypedKindOptions<G, V, K, S>,
): Kind<KindId<G, V, K>, UntypedObject<S>, UntypedDesired<S>, S> {
  const id = (
    options.group === "" ? `${options.version}/${options.kind}` : `${options.group}/${options.version}/${options.kind}`
  ) as KindId<G, V, K>;
  return defineKind(id, options.plural, options.scope, { subresources: options.subresources ?? [] });
}
