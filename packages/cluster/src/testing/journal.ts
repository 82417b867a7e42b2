import type { ApiAnswer } from "../api/index.ts";
import { type EntryMatch, fits, matchesRequest, type RequestFacts } from "./match.ts";

/** One request and its outcome. */
export interface JournalEntry extends RequestFacts {
  /** When it was answered, by the cluster's clock: milliseconds since 1970. */
  readonly at: number;
  /** HTTP status; 0: the connection broke before there was one. */
  readonly code: number;
  /** Of the Status that answered it: "Conflict"; empty for a success. */
  readonly reason: string;
  /** The resourceVersion of the answer, where it has one. */
  readonly revision: string;
  readonly warnings: readonly string[];
  /** Audit annotations of webhooks ("<webhook>/<key>") and policies ("<policy>/<key>"). */
  readonly annotations: Readonly<Record<string, string>>;
  /** What a fault rule did to it. */
  readonly fault?: string | undefined;
}

/** What clients asked for, oldest first. Bounded: of very many only the last are here. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** Those that fit. `journal.matching({ verb: "patch", resource: "deployments/status", code: 409 })` */
  matching(match: EntryMatch): readonly JournalEntry[];
  /** Starts anew, so that a test may look at what comes after. */
  clear(): void;
  /** The last ones, of those to keep, as lines for people. */
  text(last?: number, keep?: (entry: JournalEntry) => boolean): string;
}

export interface JournalWriter extends Journal {
  write(entry: JournalEntry): void;
}

const KEPT = 10_000;
const NO_WARNINGS: readonly string[] = [];
const NO_ANNOTATIONS: Readonly<Record<string, string>> = {};

export function journal(kept = KEPT): JournalWriter {
  let entries: JournalEntry[] = [];
  return {
    get entries() {
      return entries.slice(-kept);
    },
    matching: (match) => entries.slice(-kept).filter((entry) => matchesEntry(match, entry)),
    clear() {
      entries = [];
    },
    text: (last = 50, keep = () => true) => entries.filter(keep).slice(-last).map(lineOf).join("\n"),
    write(entry) {
      // Twice as many for a moment, so that few writes move them.
      if (entries.push(entry) >= 2 * kept) entries = entries.slice(-kept);
    },
  };
}

interface Answered {
  readonly kind?: string | undefined;
  readonly reason?: string | undefined;
  readonly metadata?: { readonly name?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** What is known of a request beyond itself and its answer. */
export interface Noted {
  readonly at: number;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly fault?: string | undefined;
}

export function entryOf(
  facts: RequestFacts,
  { status, headers, body }: ApiAnswer,
  { at, annotations = NO_ANNOTATIONS, fault }: Noted,
): JournalEntry {
  const value = body.type === "json" ? ((body.written ?? body.value) as Answered) : undefined;
  const failed = value?.kind === "Status";
  const { warning = NO_WARNINGS } = headers;
  return {
    at,
    user: facts.user,
    by: facts.by,
    verb: facts.verb,
    group: facts.group,
    version: facts.version,
    resource: facts.resource,
    subresource: facts.subresource,
    namespace: facts.namespace,
    name: facts.name === "" && facts.verb === "create" && !failed ? (value?.metadata?.name ?? "") : facts.name,
    path: facts.path,
    fieldManager: facts.fieldManager,
    dryRun: facts.dryRun,
    code: body.type === "cut" && body.of === undefined ? 0 : status,
    reason: failed ? (value.reason ?? "") : "",
    revision: failed ? "" : (value?.metadata?.resourceVersion ?? ""),
    warnings: typeof warning === "string" ? [warning] : warning,
    annotations,
    fault,
  };
}

function matchesEntry(match: EntryMatch, entry: JournalEntry): boolean {
  const { code = entry.code, dryRun = entry.dryRun } = match;
  return matchesRequest(match, entry) && code === entry.code && dryRun === entry.dryRun && fits(match.reason, entry.reason);
}

function lineOf({ at, user, verb, resource, subresource, namespace, name, path, code, reason, fieldManager, fault }: JournalEntry): string {
  const what = resource === "" ? path : `${resource}${subresource && `/${subresource}`} ${[namespace, name].filter(Boolean).join("/")}`;
  const manager = fieldManager && ` (${fieldManager})`;
  const outcome = `${code === 0 ? "cut" : code}${reason && ` ${reason}`}${fault === undefined ? "" : ` [fault: ${fault}]`}`;
  return `${new Date(at).toISOString().slice(11, 23)} ${user}${manager}: ${verb} ${what.trimEnd()} -> ${outcome}`;
}
