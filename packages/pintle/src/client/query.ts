import type { DeleteOptions, ListOptions, Selection, WatchOptions, WriteOptions } from "./options.ts";
import type { Query } from "./transport.ts";

type Mutable = Record<string, string | undefined>;

export function selectionQuery(selection: Pick<Selection, "labels" | "fields">): Mutable {
  const query: Mutable = {};
  if (selection.labels !== undefined) query["labelSelector"] = selector(selection.labels);
  if (selection.fields !== undefined) query["fieldSelector"] = selector(selection.fields);
  return query;
}

export function listQuery(options: ListOptions): Query {
  const query = selectionQuery(options);
  if (options.limit !== undefined) query["limit"] = String(options.limit);
  if (options.continue !== undefined) query["continue"] = options.continue;
  if (options.resourceVersion !== undefined) query["resourceVersion"] = options.resourceVersion;
  if (options.resourceVersionMatch !== undefined) query["resourceVersionMatch"] = options.resourceVersionMatch;
  return query;
}

export function watchQuery(options: WatchOptions, timeoutSeconds: number): Query {
  const query = selectionQuery(options);
  query["watch"] = "true";
  query["timeoutSeconds"] = String(timeoutSeconds);
  if (options.bookmarks !== false) query["allowWatchBookmarks"] = "true";
  if (options.resourceVersion !== undefined) query["resourceVersion"] = options.resourceVersion;
  if (options.resourceVersionMatch !== undefined) query["resourceVersionMatch"] = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined) {
    query["sendInitialEvents"] = String(options.sendInitialEvents);
    // The server asks for exactly this companion.
    query["resourceVersionMatch"] ??= "NotOlderThan";
  }
  return query;
}

export function writeQuery(options: WriteOptions, fieldManager: string | undefined): Query {
  const query: Mutable = {};
  const manager = options.fieldManager ?? fieldManager;
  if (manager !== undefined) query["fieldManager"] = manager;
  if (options.dryRun) query["dryRun"] = "All";
  if (options.fieldValidation !== undefined) query["fieldValidation"] = options.fieldValidation;
  return query;
}

/** Everything about a deletion travels in its body. */
export function deleteBody(options: DeleteOptions): object | undefined {
  const { propagation, uid, resourceVersion, gracePeriodSeconds, dryRun } = options;
  const conditional = uid !== undefined || resourceVersion !== undefined;
  if (!conditional && propagation === undefined && gracePeriodSeconds === undefined && !dryRun) return undefined;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(conditional
      ? { preconditions: { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) } }
      : {}),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}

function selector(wanted: string | Readonly<Record<string, string>>): string {
  if (typeof wanted === "string") return wanted;
  return Object.entries(wanted)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
