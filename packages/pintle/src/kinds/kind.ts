import { InvalidArgumentError } from "../errors/index.ts";
import type { Json, JsonObject } from "../json/index.ts";
import type { Metadata, NamespacedMetadata } from "./meta.ts";
import type { Shape } from "./shape.ts";

/** Whether objects of a kind belong to a namespace. */
export type Scope = "Namespaced" | "Cluster";

/**
 * A kind as a value. `Id` ("apps/v1/Deployment") is its identity in the type system: kinds are compared by id, so that the compiler never
 * compares a PodSpec.
 */
export interface Kind<Id extends string = string, T = unknown, A = never, S extends Scope = Scope> extends KindInfo<Id, S> {
  /** For types only, absent at run time. Required, so that inference does not depend on compiler flags. */
  readonly "~": { readonly read: T };
  /** Returns an object that should exist, for `want()` in reconcile. It is applied with server-side apply; `undefined` fields are dropped. */
  desired(body: A, options?: ChildOptions<T, A>): Child<Id, A>;
}
/** A kind of any objects. */
export type AnyKind = Kind<string, any, any, Scope>;

/** What is known about a kind at run time: enough to build URLs and to compare objects. */
export interface KindInfo<Id extends string = string, S extends Scope = Scope> {
  readonly id: Id;
  readonly group: string;
  readonly version: string;
  /** "apps/v1", or "v1" for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: S;
  /** "status", "scale", ... if known. */
  readonly subresources: readonly string[];
  /** How its objects are merged and compared; undefined if unknown (dynamic kinds). */
  readonly shape: Shape | undefined;
  /** Only metadata is read, watched and cached: see `metadataOnly(Kind)`. */
  readonly metadataOnly?: true;
  /** Its CustomResourceDefinition may be missing: see `optionalKind(Kind)`. */
  readonly optional?: true;
}

/** A value with the identity of a kind. */
export interface KindIdentity<Id extends string = string> {
  readonly id: Id;
}
/** The type of the objects of a kind, as read from the server. */
export type ObjectOf<K> = K extends { readonly "~": { readonly read: infer T } } ? T : never;
/** The id of a kind. */
export type IdOf<K> = K extends { readonly id: infer Id extends string } ? Id : never;

declare const child: unique symbol;
/** An object that should exist, created by `Kind.desired()`. `A` is the type of its body. */
export interface Child<out Id extends string = string, out A = any> {
  readonly [child]: true;
  readonly id: Id;
  readonly kind: KindInfo<Id>;
  /** The object without `undefined` fields. */
  readonly object: A & { readonly apiVersion: string; readonly kind: string };
  readonly after: readonly Child[];
  readonly meanwhile: ((live: any) => Child<Id>) | undefined;
  readonly ready: ((live: any) => boolean) | undefined;
  readonly create: "once" | undefined;
  readonly keep: KeepPolicy | undefined;
}

/** When a child that is no longer needed is kept: see `ChildOptions.keep`. */
export type KeepPolicy = "always" | "on-delete";

/** Order and readiness of a child. */
export interface ChildOptions<T, A = any> {
  /**
   * The child is created and updated only after these children exist as desired now and are ready. Default: none.
   *
   * *Guarantees*: while the child waits, its last applied state stays: it is neither changed, nor repaired, nor created again, nor pruned. Children
   * of its kind that are no longer desired are pruned only after a waiting child has been created.
   */
  readonly after?: readonly Child[] | undefined;
  /**
   * Returns the body to apply while an existing child waits for `after`, for fields that may change at once. It is computed from the live child:
   * with the image of the live Deployment and the desired number of replicas, scaling does not wait for a migration. Default: nothing is applied.
   */
  readonly meanwhile?: ((live: T) => A) | undefined;
  /**
   * "once": the child is written when no object of its name exists, and then left as it is: generated passwords, Jobs, whose template cannot be changed.
   * It is created again after a deletion, and pruned when it is no longer desired. Default: it is kept as desired.
   */
  readonly create?: "once" | undefined;
  /**
   * Keeps the child when its owner is deleted: "on-delete" prunes it as usual while the owner exists, "always" never. Such a child has a label instead of an
   * owner reference. An owner that is created again under the same name finds it by its name. Default: it is deleted with its owner.
   */
  readonly keep?: KeepPolicy | undefined;
  /** Returns whether the child is ready. Default: as `kubectl rollout status` determines it for the kind. */
  readonly ready?: ((live: T) => boolean) | undefined;
}

/** A reference to an object of a kind; `namespace` is required exactly for namespaced kinds. */
export type ObjectRef<K> = K extends { readonly scope: infer S extends Scope } ? ObjectRefInScope<S> : never;
type ObjectRefInScope<S extends Scope> = [Scope] extends [S]
  ? { readonly name: string; readonly namespace?: string | undefined }
  : S extends "Cluster"
    ? { readonly name: string }
    : { readonly name: string; readonly namespace: string };

/** An object of which only metadata was read. */
export interface PartialObjectMetadata<S extends Scope = Scope> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: S extends "Namespaced" ? NamespacedMetadata : Metadata;
}
/** A kind of which only metadata is read, see `metadataOnly`. */
export interface MetadataOnlyKind<Id extends string, S extends Scope> extends KindInfo<Id, S> {
  readonly metadataOnly: true;
  readonly "~": { readonly read: PartialObjectMetadata<S> };
}
/** A kind whose CustomResourceDefinition may be missing, see `optionalKind`. */
export interface OptionalKind<Id extends string, T, S extends Scope, A = never> extends Kind<Id, T, A, S> {
  readonly optional: true;
}

/**
 * Returns a kind of which only metadata is read and watched: spec and status are neither transferred nor typed.
 *
 * @example
 * ```ts
 * import { metadataOnly } from "pintle";
 * import { connect } from "pintle/client";
 * import { Secret } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * for (const { metadata } of (await client.list(metadataOnly(Secret))).items) console.log(metadata.name);
 * ```
 */
export function metadataOnly<Id extends string, S extends Scope>(of: KindInfo<Id, S>): MetadataOnlyKind<Id, S> {
  return deriveKind(of, { metadataOnly: true }) as MetadataOnlyKind<Id, S>;
}

/**
 * Returns a kind whose CustomResourceDefinition may be missing. A controller watches it as soon as it is served.
 *
 * @example
 * ```ts
 * import { defineUntypedKind, optionalKind } from "pintle";
 *
 * export const ServiceMonitor = optionalKind(
 *   defineUntypedKind({
 *     group: "monitoring.coreos.com",
 *     version: "v1",
 *     kind: "ServiceMonitor",
 *     plural: "servicemonitors",
 *     scope: "Namespaced",
 *   }),
 * );
 * ```
 */
export function optionalKind<Id extends string, T, A, S extends Scope>(of: Kind<Id, T, A, S>): OptionalKind<Id, T, S, A>;
export function optionalKind<Id extends string, S extends Scope>(
  of: MetadataOnlyKind<Id, S>,
): MetadataOnlyKind<Id, S> & { readonly optional: true };
export function optionalKind(of: KindInfo): KindInfo {
  return deriveKind(of, { optional: true });
}

/** Returns the kind with more properties; `shape` stays lazy. */
function deriveKind(of: KindInfo, more: object): KindInfo {
  return Object.freeze(Object.create(of, Object.getOwnPropertyDescriptors(more)));
}

/** Options of `defineKind`. */
export interface KindOptions {
  /** Default: none. */
  readonly subresources?: readonly string[];
  /** Called at most once, on first use, so that importing a kind is cheap. Default: unknown. */
  readonly shape?: () => Shape;
}

/**
 * Returns a kind. Generated files call it once per kind; use `defineResource` for your own resources and `defineUntypedKind` for others.
 *
 * @example
 * ```ts
 * import { defineKind } from "pintle/kinds";
 *
 * const Widget = defineKind("example.com/v1/Widget", "widgets", "Namespaced");
 * console.log(Widget.apiVersion, Widget.plural);
 * ```
 */
export function defineKind<Id extends string, S extends Scope>(id: Id, plural: string, scope: S, options: KindOptions = {}) {
  const [name, version, group = ""] = id.split("/").reverse() as [string, string, string?];
  const apiVersion = group === "" ? version : `${group}/${version}`;
  let shape: Shape | undefined;
  const built: KindInfo<Id, S> & { desired(body: unknown, options?: ChildOptions<any>): Child<Id, never> } = {
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
    desired(body, { after = [], meanwhile, ready, create, keep } = {}) {
      if (id === "v1/Secret" && (body as JsonObject)["stringData"] !== undefined) throw refuseStringData(body as JsonObject);
      const object = dropUndefinedFields({ apiVersion, kind: name, ...(body as JsonObject) }, name);
      const bodyMeanwhile = meanwhile && ((live: unknown) => built.desired(meanwhile(live), { keep }));
      return { id, kind: built, object, after, meanwhile: bodyMeanwhile, ready, create, keep } as unknown as Child<Id, never>;
    },
  };
  return built as typeof built & { readonly "~": never };
}

/** The API server moves `stringData` to `data`, where no field manager owns it: a key that is no longer desired could never be removed. */
function refuseStringData({ metadata }: JsonObject): InvalidArgumentError {
  const { name = "" } = (metadata ?? {}) as { readonly name?: string };
  return new InvalidArgumentError(
    "PINTLE1062",
    `Secret ${name}: a desired Secret cannot have stringData: write data: encodeSecretData({ ... }) with the same strings`,
  );
}

/** Returns a copy without `undefined` fields. `undefined` in a list is refused. */
function dropUndefinedFields(value: JsonObject, name: string): JsonObject {
  try {
    return copyWithoutUndefined(value) as JsonObject;
  } catch (error) {
    if (error !== UNDEFINED_ITEM) throw error;
    throw new InvalidArgumentError(
      "PINTLE1054",
      `${findUndefinedItem(value, name)} is undefined: leave the item out of the list, or give it a value`,
    );
  }
}

const UNDEFINED_ITEM = Symbol("undefined in a list");

function copyWithoutUndefined(value: unknown): Json {
  if (value === null || typeof value !== "object") return value as Json;
  if (Array.isArray(value))
    return value.map((item) => {
      if (item === undefined) throw UNDEFINED_ITEM;
      return copyWithoutUndefined(item);
    });
  const fields = value as Readonly<Record<string, unknown>>;
  const out: Record<string, Json> = {};
  for (const key in fields) {
    const field = fields[key];
    if (field !== undefined && Object.hasOwn(fields, key)) out[key] = copyWithoutUndefined(field);
  }
  return out;
}

/** Returns the path of the first `undefined` item of a list; called only for an error message. */
function findUndefinedItem(value: unknown, path: string): string | undefined {
  if (value === undefined) return path.endsWith("]") ? path : undefined;
  if (value === null || typeof value !== "object") return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = findUndefinedItem(part, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
