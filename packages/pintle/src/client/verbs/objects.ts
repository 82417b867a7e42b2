import type { Kind, ManagedFieldsEntry, Metadata, OwnerReference, Scope } from "../../kinds/index.ts";

/** The type of the objects of a kind, as read from the server. For a kind without a type: `DynamicObject`. */
export type LiveObject<K> = K extends { readonly "~": { readonly read: infer T } } ? T : DynamicObject;

/** An object without a known type: metadata is typed, other fields are unknown. */
export interface DynamicObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

/** The body of a write of a dynamic kind. */
export interface DynamicObjectBody {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

/** A kind found by discovery, see `Client.discoverKind`. */
export interface DynamicKind<T = DynamicObject> extends Kind<string, T, DynamicObjectBody, Scope> {
  /** The verbs that the server supports: "get", "list", "watch", ... */
  readonly verbs: readonly string[];
}

/** A list of objects, consistent at one resourceVersion. */
export interface ObjectList<T> {
  readonly metadata: ListMetadata;
  /** Every item has apiVersion and kind, also where the server omits them. */
  readonly items: readonly T[];
}
/** The metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** An event of a watch. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };
/** States that all changes up to this resourceVersion have been sent. */
export interface Bookmark {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> | undefined };
}
/**
 * The annotation on the bookmark that ends the initial events of a watch with `sendInitialEvents`.
 *
 * @example
 * ```ts
 * import { connect, INITIAL_EVENTS_END } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * for await (const event of client.watch(Pod, { sendInitialEvents: true })) {
 *   if (event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true") break;
 * }
 * ```
 */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The object that `create` takes: the body of a kind, with a name or a generateName. */
export type NewObject<K> = OptionalTypeMeta &
  Omit<DesiredBody<K>, "metadata" | "apiVersion" | "kind"> & { readonly metadata: NewMetadata & NamespaceField<K> };
/** The object that `apply` takes: all fields that the field manager owns. */
export type ApplyConfiguration<K> = OptionalTypeMeta &
  Omit<DesiredBody<K>, "metadata" | "apiVersion" | "kind"> & { readonly metadata: AppliedMetadata & NamespaceField<K> };
/** The object that `replace` takes: a whole object. With a resourceVersion, the write fails with `Conflict` unless it is the current one. */
export type ReplacementObject<K> = OptionalTypeMeta &
  Omit<LiveObject<K>, "metadata" | "apiVersion" | "kind" | "status"> & {
    readonly metadata: AppliedMetadata & NamespaceField<K>;
    readonly status?: unknown;
  };
/** The object that `status.apply` and `status.replace` take; the server ignores its other fields. */
export type StatusObject<K> = OptionalTypeMeta & {
  readonly metadata: AppliedMetadata & NamespaceField<K>;
  readonly status?: LiveObject<K> extends { readonly status?: infer S } ? PartialStatus<S> : unknown;
};
/** Required fields of the status may be missing before its first write. */
type PartialStatus<S> = S extends object ? Partial<S> : S;

interface OptionalTypeMeta {
  /** Default: that of the kind. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}
type DesiredBody<K> = K extends { readonly metadataOnly: true }
  ? never
  : K extends { desired(body: infer A, options?: any): unknown }
    ? A
    : { readonly [field: string]: unknown };

interface WritableMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}
/** Metadata of an object to create. */
export interface NewMetadata extends WritableMetadata {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
}
/** Metadata of an object to apply or replace. */
export interface AppliedMetadata extends WritableMetadata {
  readonly name: string;
  /** If set, the write fails with `Conflict` unless the object has this uid. Default: no check. */
  readonly uid?: string | undefined;
  /** If set, the write fails with `Conflict` unless this is the current version. Default: no check. */
  readonly resourceVersion?: string | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/** The property `namespace`, required exactly for namespaced kinds. */
export type NamespaceField<K> = K extends { readonly scope: infer S extends Scope }
  ? [Scope] extends [S]
    ? { readonly namespace?: string | undefined }
    : S extends "Cluster"
      ? unknown
      : { readonly namespace: string }
  : never;
