import type { QueryParameters } from "../transport.ts";
import type { DeletionOptions, ListOptions, ObjectSelection, WatchOptions, WriteOptions } from "./options.ts";

type MutableQuery = Record<string, string | undefined>;

export function buildSelectionQuery(selection: Pick<ObjectSelection, "labels" | "fields">): MutableQuery {
  const query: MutableQuery = {};
  if (selection.labels !== undefined) query["labelSelector"] = formatSelector(selection.labels);
  if (selection.fields !== undefined) query["fieldSelector"] = formatSelector(selection.fields);
  return query;
}

export function buildListQuery(options: ListOptions): QueryParameters {
  const query = buildSelectionQuery(options);
  if (options.limit !== undefined) query["limit"] = String(options.limit);
  if (options.continue !== undefined) query["continue"] = options.continue;
  if (options.resourceVersion !== undefined) query["resourceVersion"] = options.resourceVersion;
  if (options.resourceVersionMatch !== undefined) query["resourceVersionMatch"] = options.resourceVersionMatch;
  return query;
}

export function buildWatchQuery(options: WatchOptions, timeoutSeconds: number): QueryParameters {
  const query = buildSelectionQuery(options);
  query["watch"] = "true";
  query["timeoutSeconds"] = String(timeoutSeconds);
  if (options.bookmarks !== false) query["allowWatchBookmarks"] = "true";
  if (options.resourceVersion !== undefined) query["resourceVersion"] = options.resourceVersion;
  if (options.resourceVersionMatch !== undefined) query["resourceVersionMatch"] = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined) {
    query["sendInitialEvents"] = String(options.sendInitialEvents);
    // The API server requires exactly this value with sendInitialEvents.
    query["resourceVersionMatch"] ??= "NotOlderThan";
  }
  return query;
}

export function buildWriteQuery(options: WriteOptions, fieldManager: string | undefined): QueryParameters {
  const query: MutableQuery = {};
  const manager = options.fieldManager ?? fieldManager;
  if (manager !== undefined) query["fieldManager"] = manager;
  if (options.dryRun) query["dryRun"] = "All";
  if (options.fieldValidation !== undefined) query["fieldValidation"] = options.fieldValidation;
  return query;
}

/** Builds the DeleteOptions body; undefined if every option has its default. */
export function buildDeleteOptions(options: DeletionOptions): object | undefined {
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

function formatSelector(selector: string | Readonly<Record<string, string>>): string {
  if (typeof selector === "string") return selector;
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
