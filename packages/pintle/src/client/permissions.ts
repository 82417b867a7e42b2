import type { KindInfo } from "../kinds/index.ts";

/** An RBAC verb on a resource. */
export type ResourceVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";
/**
 * A verb that no request of a client uses, but that the API server checks beside another one: `bind` and `escalate` to write role bindings and roles
 * that give more than the writer has, `impersonate` to act as another user, `approve` and `sign` for certificate requests of a signer, `use` where an
 * admission plugin asks for it.
 */
export type AuthorizationVerb = "bind" | "escalate" | "impersonate" | "approve" | "sign" | "use";
/** An RBAC verb, on a subresource written "status/patch", "eviction/create", "log/get". */
export type Verb = ResourceVerb | AuthorizationVerb | `${string}/${ResourceVerb}`;

/** A resource that has permissions but no kind: users and groups in the core group, signers in certificates.k8s.io. */
export interface ResourceName {
  /** "" for the core group. */
  readonly group: string;
  /** In the plural: "signers". */
  readonly resource: string;
}

/** A declared permission. RBAC rules are derived from it, and the client of a controller accepts only declared kinds and verbs. */
export interface Permission<out Id extends string = string, out V extends string = string> {
  readonly id: Id;
  readonly kind: KindInfo<Id>;
  readonly verbs: readonly V[];
  /** The names of the objects; undefined: all objects. */
  readonly names: readonly string[] | undefined;
  /** Restricts the permission to objects of these names. */
  named(...names: readonly string[]): Permission<Id, V>;
}

/**
 * Declares a permission for `needs` of a controller: verbs on a kind, optionally restricted to object names.
 *
 * @example
 * ```ts
 * import { allow } from "pintle/client";
 * import { Pod, Secret } from "pintle/kinds/core/v1";
 *
 * export const needs = [
 *   allow(Pod, "list", "log/get", "eviction/create"),
 *   allow(Secret, "get").named("ca"),
 *   allow({ group: "certificates.k8s.io", resource: "signers" }, "approve").named("example.com/client"),
 * ];
 * ```
 */
export function allow<Id extends string, const V extends Verb>(kind: KindInfo<Id>, ...verbs: readonly V[]): Permission<Id, V>;
/** Declares a permission on a resource without a kind: `allow({ group: "", resource: "users" }, "impersonate").named("jane")`. */
export function allow<const V extends Verb>(resource: ResourceName, ...verbs: readonly V[]): Permission<never, V>;
export function allow(target: KindInfo | ResourceName, ...verbs: readonly string[]): Permission<string, string> {
  return createPermission("plural" in target ? target : toKindInfo(target), verbs, undefined);
}

/** Returns what the derivation of RBAC rules reads: group and plural. */
function toKindInfo({ group, resource }: ResourceName): KindInfo {
  const id = `${group}/*/${resource}`;
  return {
    id,
    group,
    version: "*",
    apiVersion: `${group}/*`,
    kind: resource,
    plural: resource,
    scope: "Cluster",
    subresources: [],
    shape: undefined,
  };
}

function createPermission<Id extends string, V extends string>(
  kind: KindInfo<Id>,
  verbs: readonly V[],
  names: readonly string[] | undefined,
): Permission<Id, V> {
  return Object.freeze({
    id: kind.id,
    kind,
    verbs,
    names,
    named: (...more: readonly string[]) => createPermission(kind, verbs, [...(names ?? []), ...more]),
  });
}

/** The ids of the kinds that `N` declares with verb `V`. */
export type DeclaredIds<N, V> = N extends Permission<infer Id, infer Vs> ? (V extends Vs ? Id : never) : never;

/** A kind that is declared with verb `V`. */
export interface DeclaredKind<V extends string, Id extends string> extends KindInfo<Id> {
  readonly "~verb"?: V;
}
