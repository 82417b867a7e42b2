import type { Json, JsonObject } from "./json.ts";
import type { Metadata, NamespacedMetadata } from "./meta.ts";
import type { Shape } from "./shape.ts";

export type Scope = "Namespaced" | "Cluster";

/**
 * A kind as a value. `Id` ("apps/v1/Deployment") is its identity in the type system: two kinds are the same exactly
 * when their ids are, so no comparison ever descends into a PodSpec.
 */
export interface Kind<Id extends string = string, T = unknown, A = never, S extends Scope = Scope> extends KindFacts<Id, S> {
  /** Types only; never present at run time. Required, so that inference does not depend on a project's compiler flags. */
  readonly "~": { readonly read: T };
  /** What should exist. Applied with server-side apply; `undefined` fields are left out. */
  desired(body: A, edges?: Edges<T>): Child<Id>;
}
export type AnyKind = Kind<string, any, any, Scope>;

/** What is known about a kind at run time: enough to build any URL and to compare any object. */
export interface KindFacts<Id extends string = string, S extends Scope = Scope> {
  readonly id: Id;
  readonly group: string;
  readonly version: string;
  /** "apps/v1", or "v1" for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: S;
  /** "status", "scale", ... as far as known. */
  readonly subresources: readonly string[];
  /** How its objects merge and compare; undefined when nothing is known (dynamic kinds). */
  readonly shape: Shape | undefined;
  /** Only metadata is fetched, watched and kept: made by `meta(Kind)`. */
  readonly metadataOnly?: true;
  /** Its CRD may be missing: made by `optional(Kind)`. */
  readonly optional?: true;
}

/** Anything that carries a kind's identity: what functions take when they only need that. */
export interface Named<Id extends string = string> {
  readonly id: Id;
}
export type ReadOf<K> = K extends { readonly "~": { readonly read: infer T } } ? T : never;
export type IdOf<K> = K extends { readonly id: infer Id extends string } ? Id : never;

declare const child: unique symbol;
/** One object that should exist; only `Kind.desired()` makes one. */
export interface Child<out Id extends string = string> {
  readonly [child]: true;
  readonly id: Id;
  readonly kind: KindFacts<Id>;
  /** apiVersion, kind, metadata and the rest, `undefined` already dropped. */
  readonly object: JsonObject;
  readonly after: readonly Child[];
  readonly ready: ((live: any) => boolean) | undefined;
}

/** Order and readiness between children. */
export interface Edges<T> {
  /** Not applied before these are ready. Values, not names: a renamed variable cannot dangle. */
  readonly after?: readonly Child[] | undefined;
  /** When this child counts as ready. Default: what `kubectl rollout status` would say for the kind. */
  readonly ready?: ((live: T) => boolean) | undefined;
}

/** How to point at an object of a kind: a namespace is asked for exactly when the kind has one. */
export type Ref<K> = K extends { readonly scope: infer S extends Scope } ? RefIn<S> : never;
type RefIn<S extends Scope> = [Scope] extends [S]
  ? { readonly name: string; readonly namespace?: string | undefined }
  : S extends "Cluster"
    ? { readonly name: string }
    : { readonly name: string; readonly namespace: string };

export interface MetadataOnly<S extends Scope = Scope> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: S extends "Namespaced" ? NamespacedMetadata : Metadata;
}
export interface MetaKind<Id extends string, S extends Scope> extends KindFacts<Id, S> {
  readonly metadataOnly: true;
  readonly "~": { readonly read: MetadataOnly<S> };
}
export interface OptionalKind<Id extends string, T, S extends Scope> extends KindFacts<Id, S> {
  readonly optional: true;
  readonly "~": { readonly read: T };
}

/** Watch and read only the metadata of a kind: spec and status are neither fetched nor typed. */
export function meta<Id extends string, S extends Scope>(of: KindFacts<Id, S>): MetaKind<Id, S> {
  return derive(of, { metadataOnly: true }) as MetaKind<Id, S>;
}

/** A kind whose CRD may be missing: watched from the moment it appears. */
export function optional<Id extends string, T, S extends Scope>(
  of: KindFacts<Id, S> & { readonly "~": { readonly read: T } },
): OptionalKind<Id, T, S> {
  return derive(of, { optional: true }) as unknown as OptionalKind<Id, T, S>;
}

/** Same kind, more facts; `shape` stays lazy. */
function derive(of: KindFacts, more: object): KindFacts {
  return Object.freeze(Object.create(of, Object.getOwnPropertyDescriptors(more)));
}

export interface KindOptions {
  readonly subresources?: readonly string[];
  /** Called at most once, on first use: importing a kind costs nothing. */
  readonly shape?: () => Shape;
}

/** Builds a kind value; generated files call it once per kind. */
export function kind<Id extends string, S extends Scope>(id: Id, plural: string, scope: S, options: KindOptions = {}) {
  const [name, version, group = ""] = id.split("/").reverse() as [string, string, string?];
  const apiVersion = group === "" ? version : `${group}/${version}`;
  let shape: Shape | undefined;
  const made: KindFacts<Id, S> & { desired(body: unknown, edges?: Edges<any>): Child<Id> } = {
    id,
    group,
    version,
    apiVersion,
    kind: name,
    plural,
    scope,
    subresources: options.subresources ?? [],
    get shape() {
      shape ??= options.shape?.();
      return shape;
    },
    desired(body, edges) {
      const object = written({ apiVersion, kind: name, ...(body as JsonObject) }, name);
      return { id, kind: made, object, after: edges?.after ?? [], ready: edges?.ready } as unknown as Child<Id>;
    },
  };
  return made as typeof made & { readonly "~": never };
}

/** Drops `undefined` fields; `undefined` inside a list has no meaning and is refused where it stands. */
function written(value: JsonObject, name: string): JsonObject {
  try {
    return copied(value) as JsonObject;
  } catch (error) {
    if (error !== HOLE) throw error;
    throw new TypeError(`${holeIn(value, name)} is undefined: leave the item out of the list, or give it a value`);
  }
}

const HOLE = Symbol("undefined in a list");

function copied(value: unknown): Json {
  if (value === null || typeof value !== "object") return value as Json;
  if (Array.isArray(value))
    return value.map((item) => {
      if (item === undefined) throw HOLE;
      return copied(item);
    });
  const fields = value as Readonly<Record<string, unknown>>;
  const out: Record<string, Json> = {};
  for (const key in fields) {
    const field = fields[key];
    if (field !== undefined && Object.hasOwn(fields, key)) out[key] = copied(field);
  }
  return out;
}

/** The path of the first one; only asked for when there is one. */
function holeIn(value: unknown, path: string): string | undefined {
  if (value === undefined) return path.endsWith("]") ? path : undefined;
  if (value === null || typeof value !== "object") return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = holeIn(part, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
