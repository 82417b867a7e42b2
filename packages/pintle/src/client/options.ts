import type { NamespaceFor } from "./objects.ts";

export interface CallOptions {
  /** Ends the call, whatever it is waiting for; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called as the request goes to the socket: a throw keeps it from being sent. For work that only one process may do. */
  readonly permit?: (() => void) | undefined;
}

export interface GetOptions extends CallOptions {
  /** "0": any version the server has at hand. Default: the latest. */
  readonly resourceVersion?: string | undefined;
}

export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** `{ app: "web" }`, or a selector: "app in (web, api), !legacy". */
  readonly labels?: string | Readonly<Record<string, string>> | undefined;
  /** `{ "metadata.name": "web" }`, or a selector: "status.phase!=Running". */
  readonly fields?: string | Readonly<Record<string, string>> | undefined;
}

export interface ListOptions extends CallOptions, Selection {
  /** At most so many items, and a token to continue with. Default: everything in one answer. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface PageOptions extends CallOptions, Selection {
  /** Items per page. Default: 500. */
  readonly size?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface WatchOptions extends CallOptions, Selection {
  /** Where to go on; events after it. Default: what there is now as ADDED events, then what happens. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** First what there is, as ADDED events, then a bookmark annotated INITIAL_EVENTS_END, then what happens. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Default: true. */
  readonly bookmarks?: boolean | undefined;
  /** When the server ends the watch. Default: some time between 5 and 10 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /** Called once the server has agreed to the watch, which may be long before its first event. */
  readonly opened?: (() => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Everything but storing. */
  readonly dryRun?: boolean | undefined;
  /** Who writes. Default: the client's. */
  readonly fieldManager?: string | undefined;
  /** What to do about unknown and duplicate fields. Default: the server's, which is to warn. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers instead of failing with Conflict. Default: false. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly propagation?: "Background" | "Foreground" | "Orphan" | undefined;
  /** Delete only if it is still this object; otherwise Conflict. */
  readonly uid?: string | undefined;
  /** Delete only if it is still this version; otherwise Conflict. */
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The server deletes collections one namespace at a time, so a namespace has to be given where the kind has one. */
export type CollectionOptions<K> = Omit<Selection, "namespace"> & NamespaceFor<K> & Omit<DeleteOptions, "uid" | "resourceVersion">;

export interface WaitOptions extends CallOptions {
  /** Milliseconds. Default: as long as it takes, or until the signal. */
  readonly timeout?: number | undefined;
}

/** Exactly one of the three ways to say a change. */
export type Patch =
  | { readonly merge: PatchBody; readonly json?: never; readonly strategic?: never }
  | { readonly strategic: PatchBody; readonly json?: never; readonly merge?: never }
  | { readonly json: readonly JsonPatchOperation[]; readonly merge?: never; readonly strategic?: never };
/** `null` removes a field. */
export interface PatchBody {
  readonly [field: string]: unknown;
}
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };
