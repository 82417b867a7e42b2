import type { KindInfo } from "../kinds/index.ts";

/** An RBAC verb on a resource. */
export type ResourceVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";
/** An RBAC verb, on a subresource written "status/patch", "eviction/create", "log/get". */
export type Verb = ResourceVerb | `${string}/${ResourceVerb}`;

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
 * export const needs = [allow(Pod, "list", "log/get", "eviction/create"), allow(Secret, "get").named("ca")];
 * ```
 */
export function allow<Id extends string, const V extends Verb>(kind: KindInfo<Id>, ...verbs: readonly V[]): Permission<Id, V> {
  return createPermission(kind, verbs, undefined);
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
