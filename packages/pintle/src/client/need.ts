import type { KindFacts } from "../kinds/index.ts";

export type PlainVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";
/** An RBAC verb; on a subresource it is written "status/patch", "eviction/create", "log/get". */
export type Verb = PlainVerb | `${string}/${PlainVerb}`;

/** A declared permission: what RBAC is made of, and what the client of a controller accepts. */
export interface Need<out Id extends string = string, out V extends string = string> {
  readonly id: Id;
  readonly kind: KindFacts<Id>;
  readonly verbs: readonly V[];
  /** Only objects of these names; everything when undefined. */
  readonly names: readonly string[] | undefined;
  named(...names: readonly string[]): Need<Id, V>;
}

/** `allow(Secret, "get")`, `allow(Pod, "log/get", "eviction/create")`, `allow(Secret, "get").named("ca")`. */
export function allow<Id extends string, const V extends Verb>(kind: KindFacts<Id>, ...verbs: readonly V[]): Need<Id, V> {
  return need(kind, verbs, undefined);
}

function need<Id extends string, V extends string>(
  kind: KindFacts<Id>,
  verbs: readonly V[],
  names: readonly string[] | undefined,
): Need<Id, V> {
  return Object.freeze({
    id: kind.id,
    kind,
    verbs,
    names,
    named: (...more: readonly string[]) => need(kind, verbs, [...(names ?? []), ...more]),
  });
}

/** Ids in `N` that were declared with verb `V`. */
export type With<N, V> = N extends Need<infer Id, infer Vs> ? (V extends Vs ? Id : never) : never;

/** A kind that may be used with `V` here. */
export interface Declared<V extends string, Id extends string> extends KindFacts<Id> {
  readonly "~verb"?: V;
}
