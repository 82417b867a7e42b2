import type { CommitFact, Fact, RequestFact, RunCause, RunFact } from "./facts.ts";
import { type Inference, indexObservedVersions, inferCause, type ObservedVersions } from "./infer-cause.ts";
import { runIdOfAuditId } from "./run-recorder.ts";

/** A field that a commit changed. */
export interface FieldDifference {
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** A commit in an explanation. */
export interface CommitNode {
  readonly revision: number;
  readonly operation: "put" | "delete";
  /** The key in the store: "/registry/pods/default/web". */
  readonly key: string;
  readonly uid: string;
  readonly time: number;
  /** The changed fields; empty if they are not known any more. */
  readonly fields: readonly FieldDifference[];
  /** The field managers that wrote it, where only a watch of the operator saw it. Default: the API server recorded it. */
  readonly managers?: readonly string[] | undefined;
}

/** The request that made a commit. */
export interface RequestNode {
  /** The audit id. */
  readonly id: string;
  readonly user: string;
  readonly verb: string;
  readonly fieldManager: string;
}

/** The run that made a commit. */
export interface RunNode {
  readonly id: string;
  readonly controller: string;
  readonly key: string;
  readonly waited: number;
  readonly duration: number;
  readonly result: string;
  readonly causes: readonly RunCause[];
}

/** Why a commit happened. */
export interface CommitExplanation {
  readonly commit: CommitNode;
  /** Default: a controller inside the API server made the commit. */
  readonly request?: RequestNode | undefined;
  /** Default: a client that is no recorded controller made the commit; it is the origin of everything that follows. */
  readonly run?: RunNode | undefined;
  /** From what it was inferred that this commit is the cause of the one above. Default: nothing is inferred, ids say so. */
  readonly inferred?: Inference | undefined;
  /** The commits that caused the run, newest first. Commits that appear elsewhere in the explanation are not repeated. */
  readonly causes: readonly CommitExplanation[];
  /** Causes of the run that are not commits: "start", "timer", "external", and events whose commit is not recorded any more. */
  readonly otherCauses: readonly RunCause[];
}

/** The facts of a recording, joined by their ids. */
export interface CausalIndex {
  readonly commits: ReadonlyMap<number, CommitFact>;
  readonly deletions: ReadonlyMap<string, CommitFact>;
  readonly requests: ReadonlyMap<string, RequestFact>;
  readonly runs: ReadonlyMap<string, RunFact>;
  /** Versions that watches saw, on a cluster whose commits are not recorded. */
  readonly observed: ObservedVersions;
}

/** Joins the facts of a recording. */
export function createCausalIndex(facts: readonly Fact[]): CausalIndex {
  const commits = new Map<number, CommitFact>();
  const deletions = new Map<string, CommitFact>();
  const requests = new Map<string, RequestFact>();
  const runs = new Map<string, RunFact>();
  for (const fact of facts) {
    if (fact.type === "commit") {
      // What the API server recorded is exact.
      if (fact.observed !== undefined && commits.has(fact.revision)) continue;
      commits.set(fact.revision, fact);
      if (fact.operation === "delete") deletions.set(fact.uid, fact);
    } else if (fact.type === "request") {
      if (fact.side === "server" || !requests.has(fact.id)) requests.set(fact.id, fact);
    } else if (fact.type === "run") runs.set(fact.id, fact);
  }
  return { commits, deletions, requests, runs, observed: indexObservedVersions(commits.values(), [...requests.values()], runs) };
}

/** Looks up the fields that a commit changed. */
export type FieldLookup = (commit: CommitFact) => readonly FieldDifference[];

const NO_FIELDS: FieldLookup = () => [];

/**
 * Explains a commit: the request and the run that made it, and the commits that caused the run, up to the requests of clients. Undefined if the
 * commit is not recorded, or not any more.
 */
export function explainCommit(index: CausalIndex, revision: number, fieldsOf: FieldLookup = NO_FIELDS): CommitExplanation | undefined {
  const commit = index.commits.get(revision);
  return commit === undefined ? undefined : explain(index, commit, fieldsOf, new Set([revision]));
}

function explain(index: CausalIndex, commit: CommitFact, fieldsOf: FieldLookup, seen: Set<number>): CommitExplanation {
  const request = commit.request === undefined ? index.observed.findRequest(commit) : index.requests.get(commit.request);
  const auditId = commit.request ?? request?.id;
  const runId = commit.run ?? (auditId === undefined ? undefined : runIdOfAuditId(auditId));
  const run = runId === undefined ? undefined : index.runs.get(runId);
  const inferred = request === undefined && run === undefined ? inferCause(index.observed, commit) : undefined;
  const commits: CommitFact[] = [];
  const otherCauses: RunCause[] = [];
  for (const cause of run === undefined ? [] : collectCauses(index, run)) {
    const found = findCommit(index, cause);
    if (found === undefined) otherCauses.push(cause);
    else if (!seen.has(found.revision)) {
      seen.add(found.revision);
      commits.push(found);
    }
  }
  commits.sort((a, b) => b.revision - a.revision);
  const inferredCauses: CommitExplanation[] = [];
  if (inferred !== undefined && !seen.has(inferred.commit.revision)) {
    seen.add(inferred.commit.revision);
    inferredCauses.push({ ...explain(index, inferred.commit, fieldsOf, seen), inferred: inferred.inferred });
  }
  return {
    commit: {
      revision: commit.revision,
      operation: commit.operation,
      key: commit.key,
      uid: commit.uid,
      time: commit.time,
      fields: fieldsOf(commit),
      managers: commit.observed?.managers,
    },
    request:
      request === undefined
        ? undefined
        : { id: request.id, user: request.user ?? "", verb: request.verb, fieldManager: request.fieldManager ?? "" },
    run:
      run === undefined
        ? undefined
        : {
            id: run.id,
            controller: run.controller,
            key: run.key,
            waited: run.waited,
            duration: run.duration,
            result: run.result,
            causes: run.causes,
          },
    causes: [...commits.map((each) => explain(index, each, fieldsOf, seen)), ...inferredCauses],
    otherCauses,
  };
}

/** The causes of a run; those of an earlier run in place of the retry or requeue that it led to. */
function collectCauses(index: CausalIndex, run: RunFact, seen = new Set<string>()): readonly RunCause[] {
  seen.add(run.id);
  return run.causes.flatMap((cause) => {
    const earlier = cause.run === undefined || seen.has(cause.run) ? undefined : index.runs.get(cause.run);
    return earlier === undefined ? [cause] : collectCauses(index, earlier, seen);
  });
}

function findCommit({ commits, deletions }: CausalIndex, { event, object }: RunCause): CommitFact | undefined {
  if (object === undefined) return undefined;
  const deletion = event === "deleted" || object.resourceVersion === undefined ? deletions.get(object.uid ?? "") : undefined;
  return deletion ?? commits.get(Number(object.resourceVersion));
}

const MAX_FIELDS = 4;
const MAX_TEXT = 40;

/**
 * Formats an explanation as text: the commit first, its causes below it, up to the request of a client.
 *
 * @example
 * ```ts
 * import { startCluster } from "@pintle/cluster";
 * import { formatExplanation } from "pintle";
 * import { Deployment } from "pintle/kinds/apps/v1";
 *
 * await using cluster = await startCluster({ recorder: true });
 * console.log(formatExplanation(await cluster.why(Deployment, { namespace: "default", name: "web" }, { field: ".status.readyReplicas" })));
 * ```
 */
export function formatExplanation(explanation: CommitExplanation): string {
  return formatNode(explanation, "").join("\n");
}

function formatNode(node: CommitExplanation, indent: string): string[] {
  const { commit, run, causes, otherCauses } = node;
  const name = commit.key.replace(/^\/registry\//, "");
  const lines = [
    `${indent}r${commit.revision} ${commit.operation === "delete" ? "deleted" : "wrote"} ${name}${formatFields(commit.fields)}`,
  ];
  const below = `${indent}  `;
  if (run === undefined) {
    lines.push(`${below}by ${formatWriter(node)}`);
  } else lines.push(`${below}by ${run.controller}, run ${run.id} of ${run.key}: waited ${run.waited} ms, took ${run.duration} ms`);
  for (const cause of otherCauses) lines.push(`${below}because of ${formatCause(cause)}`);
  for (const cause of causes)
    lines.push(`${below}because of${cause.inferred === undefined ? "" : ` (inferred: ${cause.inferred})`}`, ...formatNode(cause, below));
  return lines;
}

function formatWriter({ commit: { managers = [] }, request }: CommitExplanation): string {
  if (request !== undefined)
    return `${request.user || "the operator"}${request.fieldManager ? ` (${request.fieldManager})` : ""}: ${request.verb}`;
  return managers.length === 0 ? "an unrecorded writer" : `field manager ${managers.join(", ")}`;
}

function formatFields(fields: readonly FieldDifference[]): string {
  if (fields.length === 0) return "";
  const shown = fields.slice(0, MAX_FIELDS).map(({ path, old, new: now }) => `${path} ${formatValue(old)} -> ${formatValue(now)}`);
  const more = fields.length > MAX_FIELDS ? `, and ${fields.length - MAX_FIELDS} more` : "";
  return `: ${shown.join(", ")}${more}`;
}

function formatValue(value: unknown): string {
  const text = value === undefined ? "unset" : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function formatCause({ event, source, object, run }: RunCause): string {
  if (object !== undefined) {
    const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
    return `${object.kind} ${name} ${event}${object.resourceVersion === undefined ? "" : ` at r${object.resourceVersion}`}, whose commit is not recorded`;
  }
  return `${event}${source === undefined ? "" : ` of ${source}`}${run === undefined ? "" : ` by run ${run}`}`;
}
