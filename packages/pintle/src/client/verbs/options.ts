import type { NamespaceField } from "./objects.ts";

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the call, which rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Called synchronously before the request is written to the socket; if it throws, nothing is sent. For writes of a leader. Default: none. */
  readonly permit?: (() => void) | undefined;
  /** The `Audit-ID` header: the id of the request in the audit log of the server. Default: the server generates one. */
  readonly auditId?: string | undefined;
}

/** Options of `Client.get` and `Client.find`. */
export interface GetOptions extends RequestOptions {
  /** "0": any version in the cache of the server. Default: the latest. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects of a kind to select. */
export interface ObjectSelection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** A label selector: `{ app: "web" }` or "app in (web, api), !legacy". Default: all objects. */
  readonly labels?: string | Readonly<Record<string, string>> | undefined;
  /** A field selector: `{ "metadata.name": "web" }` or "status.phase!=Running". Default: all objects. */
  readonly fields?: string | Readonly<Record<string, string>> | undefined;
}

/** Options of `Client.list`. */
export interface ListOptions extends RequestOptions, ObjectSelection {
  /** Maximum number of items; the list has a continue token if there are more. Default: all items in one response. */
  readonly limit?: number | undefined;
  /** The continue token of the previous page. Default: the first page. */
  readonly continue?: string | undefined;
  /** Default: the latest version. */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is applied. Default: that of the server. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** Options of `Client.listPages`. */
export interface PageOptions extends RequestOptions, ObjectSelection {
  /** Items per page. Default: 500. */
  readonly pageSize?: number | undefined;
  /** Default: the latest version. */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is applied. Default: that of the server. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** Options of `Client.watch`. */
export interface WatchOptions extends RequestOptions, ObjectSelection {
  /** Send events after this version. Default: an ADDED event for each existing object, then changes. */
  readonly resourceVersion?: string | undefined;
  /** Default: "NotOlderThan" with `sendInitialEvents`, else none. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Send an ADDED event for each existing object, then a bookmark with the annotation `INITIAL_EVENTS_END`, then changes. Default: false. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Request bookmarks. Default: true. */
  readonly bookmarks?: boolean | undefined;
  /** When the server ends the watch. Default: a random time between 5 and 10 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Milliseconds without an event or a bookmark after which the watch fails. 0: never, for a caller with a liveness check of its own. Default: 150 s with
   * bookmarks, else until shortly after the server's timeout.
   */
  readonly idleTimeout?: number | undefined;
  /** Called when the server has accepted the watch, which may be long before its first event. Default: none. */
  readonly onOpen?: (() => void) | undefined;
}

/** Options of every write. */
export interface WriteOptions extends RequestOptions {
  /** Execute everything except storing the result. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** The field manager. Default: that of the client. */
  readonly fieldManager?: string | undefined;
  /** How the server treats unknown and duplicate fields. Default: that of the server, "Warn". */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
}

/** Options of `Client.apply`. */
export interface ApplyOptions extends WriteOptions {
  /** Take ownership of fields from other managers instead of failing with `Conflict`. Default: false. */
  readonly force?: boolean | undefined;
}

/** Options of `Client.delete`. */
export interface DeletionOptions extends RequestOptions {
  /** What happens to dependents. Default: that of the kind, mostly "Background". */
  readonly propagation?: "Background" | "Foreground" | "Orphan" | undefined;
  /** Fail with `Conflict` unless the object has this uid. Default: no check. */
  readonly uid?: string | undefined;
  /** Fail with `Conflict` unless this is the current version. Default: no check. */
  readonly resourceVersion?: string | undefined;
  /** Default: that of the object. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Execute everything except the deletion. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** Options of `Client.deleteCollection`. The API server deletes collections of one namespace, so namespaced kinds require a namespace. */
export type DeleteCollectionOptions<K> = Omit<ObjectSelection, "namespace"> &
  NamespaceField<K> &
  Omit<DeletionOptions, "uid" | "resourceVersion">;

/** Options of `Client.waitFor` and `Client.waitForDeletion`. */
export interface WaitOptions extends RequestOptions {
  /** Milliseconds until `Timeout` is thrown. Default: no limit. */
  readonly timeout?: number | undefined;
}

/** A patch in exactly one of the three formats. */
export type ObjectPatch =
  | { readonly merge: MergePatch; readonly json?: never; readonly strategic?: never }
  | { readonly strategic: MergePatch; readonly json?: never; readonly merge?: never }
  | { readonly json: readonly JsonPatchOperation[]; readonly merge?: never; readonly strategic?: never };
/** A JSON merge patch or strategic merge patch; `null` removes a field. */
export interface MergePatch {
  readonly [field: string]: unknown;
}
/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };
