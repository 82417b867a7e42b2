import type { ApiResponse, RequestCommit } from "../api/index.ts";
import { type AuditLogMatch, matchesRequest, matchesString, type RequestAttributes } from "./request-match.ts";

/** One request and its outcome. */
export interface AuditLogEntry extends RequestAttributes {
  /** The id of the request: that of its `Audit-ID` header, or a generated one. */
  readonly id: string;
  /** Time of the response by the cluster's clock, in milliseconds since 1970. */
  readonly at: number;
  /** HTTP status; 0: the connection was cut before a response. */
  readonly code: number;
  /** Reason of an error response, for example "Conflict"; empty on success. */
  readonly reason: string;
  /** Message of an error response; empty on success. */
  readonly message: string;
  /** Milliseconds from the request to its response, by the cluster's clock; of a watch: to its start. */
  readonly duration: number;
  /** Every commit that the request made, in order; empty for requests that changed nothing. */
  readonly commits: readonly RequestCommit[];
  /** resourceVersion of the response, if it has one. */
  readonly revision: string;
  /** The Warning headers of the response. */
  readonly warnings: readonly string[];
  /** Audit annotations of webhooks ("<webhook>/<key>") and policies ("<policy>/<key>"). */
  readonly annotations: Readonly<Record<string, string>>;
  /** Injected faults, as JSON. Default: none were injected. */
  readonly fault?: string | undefined;
}

/** Audit log of a cluster: all requests, oldest first, limited to the last 10,000 and to 16 MiB. */
export interface AuditLog {
  /** The entries, oldest first. */
  readonly entries: readonly AuditLogEntry[];
  /** Returns the matching entries: `journal.matching({ verb: "patch", resource: "deployments/status", code: 409 })`. */
  matching(match: AuditLogMatch): readonly AuditLogEntry[];
  /** Removes all entries. */
  clear(): void;
  /** Formats the last entries (default: 50) that pass the filter, one line each. */
  text(last?: number, filter?: (entry: AuditLogEntry) => boolean): string;
}

export interface AuditLogWriter extends AuditLog {
  write(entry: AuditLogEntry): void;
}

const MAX_ENTRIES = 10_000;
/** Paths and names are as long as clients make them. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What an entry takes beside the texts of its request. */
const ENTRY_BYTES = 512;
/** What a commit takes beside its key. */
const COMMIT_BYTES = 160;
const NO_WARNINGS: readonly string[] = [];
const NO_COMMITS: readonly RequestCommit[] = [];
const NO_ANNOTATIONS: Readonly<Record<string, string>> = {};

export function createAuditLog(maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES): AuditLogWriter {
  let entries: AuditLogEntry[] = [];
  let bytes = 0;
  return {
    get entries() {
      return entries.slice(-maxEntries);
    },
    matching: (match) => entries.slice(-maxEntries).filter((entry) => matchesAuditLogEntry(match, entry)),
    clear() {
      entries = [];
      bytes = 0;
    },
    text: (last = 50, keep = () => true) => entries.filter(keep).slice(-last).map(formatEntry).join("\n"),
    write(entry) {
      entries.push(entry);
      bytes += getEntryBytes(entry);
      // Truncated at twice the limit, so that few writes copy the list.
      if (entries.length < 2 * maxEntries && bytes < 2 * maxBytes) return;
      entries = selectNewest(entries, maxEntries, maxBytes);
      bytes = entries.reduce((sum, each) => sum + getEntryBytes(each), 0);
    },
  };
}

function getEntryBytes({ id, path, user, name, namespace, fieldManager, warnings, message, commits }: AuditLogEntry): number {
  let characters = id.length + path.length + user.length + name.length + namespace.length + fieldManager.length + message.length;
  for (const warning of warnings) characters += warning.length;
  let bytes = ENTRY_BYTES + 2 * characters;
  for (const { key } of commits) bytes += COMMIT_BYTES + 2 * key.length;
  return bytes;
}

function selectNewest(entries: readonly AuditLogEntry[], maxEntries: number, maxBytes: number): AuditLogEntry[] {
  let first = entries.length;
  for (let bytes = 0; first > 0 && entries.length - first < maxEntries; first--) {
    bytes += getEntryBytes(entries[first - 1] as AuditLogEntry);
    if (bytes > maxBytes) break;
  }
  return entries.slice(first);
}

interface ResponseFields {
  readonly kind?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly metadata?: { readonly name?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Details of an entry beyond the request and its response. */
export interface AuditDetails {
  readonly at: number;
  readonly id: string;
  readonly duration: number;
  readonly commits?: readonly RequestCommit[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly fault?: string | undefined;
}

export function buildAuditLogEntry(
  attributes: RequestAttributes,
  { status, headers, body }: ApiResponse,
  { at, id, duration, commits = NO_COMMITS, annotations = NO_ANNOTATIONS, fault }: AuditDetails,
): AuditLogEntry {
  const value = body.type === "json" ? ((body.encoded ?? body.value) as ResponseFields) : undefined;
  const failed = value?.kind === "Status";
  const { warning = NO_WARNINGS } = headers;
  return {
    id,
    at,
    duration,
    user: attributes.user,
    impersonatedBy: attributes.impersonatedBy,
    verb: attributes.verb,
    group: attributes.group,
    version: attributes.version,
    resource: attributes.resource,
    subresource: attributes.subresource,
    namespace: attributes.namespace,
    name: attributes.name === "" && attributes.verb === "create" && !failed ? (value?.metadata?.name ?? "") : attributes.name,
    path: attributes.path,
    fieldManager: attributes.fieldManager,
    dryRun: attributes.dryRun,
    code: body.type === "cut" && body.of === undefined ? 0 : status,
    reason: failed ? (value.reason ?? "") : "",
    message: failed ? (value.message ?? "") : "",
    commits,
    revision: failed ? "" : (value?.metadata?.resourceVersion ?? ""),
    warnings: typeof warning === "string" ? [warning] : warning,
    annotations,
    fault,
  };
}

function matchesAuditLogEntry(match: AuditLogMatch, entry: AuditLogEntry): boolean {
  const { code = entry.code, dryRun = entry.dryRun } = match;
  return matchesRequest(match, entry) && code === entry.code && dryRun === entry.dryRun && matchesString(match.reason, entry.reason);
}

function formatEntry({
  at,
  user,
  verb,
  resource,
  subresource,
  namespace,
  name,
  path,
  code,
  reason,
  fieldManager,
  fault,
}: AuditLogEntry): string {
  const what = resource === "" ? path : `${resource}${subresource && `/${subresource}`} ${[namespace, name].filter(Boolean).join("/")}`;
  const manager = fieldManager && ` (${fieldManager})`;
  const outcome = `${code === 0 ? "cut" : code}${reason && ` ${reason}`}${fault === undefined ? "" : ` [fault: ${fault}]`}`;
  return `${new Date(at).toISOString().slice(11, 23)} ${user}${manager}: ${verb} ${what.trimEnd()} -> ${outcome}`;
}
