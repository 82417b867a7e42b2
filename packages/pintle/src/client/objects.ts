import type { Kind, ManagedFieldsEntry, Metadata, OwnerReference, Scope } from "../kinds/index.ts";

/** What reading a kind gives; of a kind known only by its facts, an object whose metadata is typed. */
export type Read<K> = K extends { readonly "~": { readonly read: infer T } } ? T : DynamicObject;

/** Metadata is typed, the rest is whatever the server says. */
export interface DynamicObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

/** What writing a dynamic kind takes. */
export interface DynamicBody {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

/** A kind found by discovery. */
export interface DynamicKind<T = DynamicObject> extends Kind<string, T, DynamicBody, Scope> {
  /** "get", "list", "watch", ... as far as the server serves them. */
  readonly verbs: readonly string[];
}

export interface List<T> {
  readonly metadata: ListMetadata;
  /** Every item says its apiVersion and kind, also where the server leaves them out. */
  readonly items: readonly T[];
}
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };
/** Nothing happened up to this resourceVersion. */
export interface Bookmark {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> | undefined };
}
/** On the bookmark that ends the initial events asked for with `sendInitialEvents`. */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** What `create` takes: the body of a kind, with a name or a prefix for one. */
export type NewObject<K> = Typed &
  Omit<BodyOf<K>, "metadata" | "apiVersion" | "kind"> & { readonly metadata: NewMetadata & NamespaceFor<K> };
/** What `apply` takes: the fields this manager wants to own, all of them. */
export type AppliedObject<K> = Typed &
  Omit<BodyOf<K>, "metadata" | "apiVersion" | "kind"> & { readonly metadata: AppliedMetadata & NamespaceFor<K> };
/** What `replace` takes: a whole object. With a resourceVersion it replaces exactly that version or fails with Conflict. */
export type Replacement<K> = Typed &
  Omit<Read<K>, "metadata" | "apiVersion" | "kind" | "status"> & {
    readonly metadata: AppliedMetadata & NamespaceFor<K>;
    readonly status?: unknown;
  };
/** What a server-side apply or a replacement of the status takes; the rest of the object is ignored by the server. */
export type StatusObject<K> = Typed & {
  readonly metadata: AppliedMetadata & NamespaceFor<K>;
  readonly status?: Read<K> extends { readonly status?: infer S } ? Loose<S> : unknown;
};
/** Before the first write of a status most of it is missing, whatever the read type promises. */
type Loose<S> = S extends object ? Partial<S> : S;

interface Typed {
  /** Filled in from the kind when left out. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}
type BodyOf<K> = K extends { readonly metadataOnly: true }
  ? never
  : K extends { desired(body: infer A, edges?: any): unknown }
    ? A
    : { readonly [field: string]: unknown };

interface WrittenMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}
export interface NewMetadata extends WrittenMetadata {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
}
export interface AppliedMetadata extends WrittenMetadata {
  readonly name: string;
  /** Present: the write fails with Conflict unless it is still this object. */
  readonly uid?: string | undefined;
  /** Present: the write fails with Conflict unless it is still this version. */
  readonly resourceVersion?: string | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/** A namespace is asked for exactly when the kind has one. */
export type NamespaceFor<K> = K extends { readonly scope: infer S extends Scope }
  ? [Scope] extends [S]
    ? { readonly namespace?: string | undefined }
    : S extends "Cluster"
      ? unknown
      : { readonly namespace: string }
  : never;
