/**
 * The facts of a recording: everything that `pintle why`, trace files, replay and pages about an operator read. One JSON object per line; `type` says
 * which, and the fields below are all that they have. They join by ids: `run`, `request` (the audit id `<run>.<n>`), and objects by uid and
 * resourceVersion.
 */
import type { Json, JsonObject } from "../json/index.ts";

/**
 * The version of this format. A reader refuses facts of a higher one.
 *
 * @example
 * ```ts
 * import { FACTS_VERSION } from "pintle";
 *
 * export const canRead = (version: number) => version <= FACTS_VERSION;
 * ```
 */
export const FACTS_VERSION = 1;

/** What every recorded fact has. */
interface FactBase {
  /** Position in the recording, from 1, without gaps. */
  readonly sequence: number;
  /** Time by the recorder's clock, in milliseconds since 1970. */
  readonly time: number;
}

/** An object that a fact is about. */
export interface ObjectIdentity {
  readonly kind: string;
  /** Default: the kind is cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Default: not known. */
  readonly uid?: string | undefined;
  /** Default: not known, or the object was deleted. */
  readonly resourceVersion?: string | undefined;
}

/**
 * One cause of a run. Events about the same object are merged: `first` and `last` are the first and the last of their resourceVersions.
 * "start": the start of the process; "timer": a timer that no run set; "daemon": a daemon of the object.
 */
export interface RunCause {
  readonly event:
    | "added"
    | "modified"
    | "deleted"
    | "listed"
    | "missed"
    | "retry"
    | "requeue"
    | "resync"
    | "external"
    | "start"
    | "timer"
    | "daemon";
  /** The event source: "object", "owns", the name in `watches` or `sources`. Default: none. */
  readonly source?: string | undefined;
  /** The object whose change is the cause. Default: none. */
  readonly object?: ObjectIdentity | undefined;
  /** The first of several merged resourceVersions; `object.resourceVersion` is the last. Default: there was only one. */
  readonly first?: string | undefined;
  /** The run that is the cause: it failed, requeued the key, or set the timer. Default: none. */
  readonly run?: string | undefined;
}

/** A key was enqueued. */
export interface EnqueueFact extends FactBase {
  readonly type: "enqueue";
  readonly controller: string;
  readonly key: string;
  readonly cause: RunCause;
  /** Whether the key was in the queue already, so that one run has several causes. */
  readonly merged: boolean;
}

/**
 * Why an event led to no run, or not at once. "predicate": `when` returned false. "mapped to no key": it concerns no object of the controller.
 * "own write": the controller's own write caused it. "paused": the object has the annotation. "other namespace": the controller does not watch it.
 * "not leading": another process leads, or this one lost its lease. "backing off": the run has failed, or a child is not repaired because of a conflict, and
 * is retried at `until`. "duplicate": the same version is already a cause of the key's next run.
 */
export type DropReason =
  | "predicate"
  | "mapped to no key"
  | "own write"
  | "paused"
  | "other namespace"
  | "not leading"
  | "backing off"
  | "duplicate";

/** An event did not lead to a run. */
export interface DropFact extends FactBase {
  readonly type: "drop";
  readonly controller: string;
  readonly reason: DropReason;
  /** Default: the event was dropped before it was mapped to keys. */
  readonly key?: string | undefined;
  /** The event. Default: not known. */
  readonly cause?: RunCause | undefined;
  /** The run that found it out. Default: there was none. */
  readonly run?: string | undefined;
  /** When the backoff of the key ends, in milliseconds since 1970. Default: the reason is another one. */
  readonly until?: number | undefined;
}

/** The outcome of a run; "running": it has not ended. */
export type RunResult = "success" | "requeue_after" | "error" | "terminal" | "running";

/** One reconciliation of one key, with everything that caused it. */
export interface RunFact extends FactBase {
  readonly type: "run";
  /** `<process>-<number>`, the first part of the `Audit-ID` of its writes. */
  readonly id: string;
  readonly controller: string;
  readonly key: string;
  readonly causes: readonly RunCause[];
  /** Milliseconds between becoming ready and the start. */
  readonly waited: number;
  /** Milliseconds from start to end. */
  readonly duration: number;
  /** Milliseconds in `reconcile` and `finalize`, with the requests that they await. */
  readonly reconciling?: number | undefined;
  /** Milliseconds in which at least one request was in flight. */
  readonly requesting?: number | undefined;
  readonly result: RunResult;
  /** Default: the run did not fail. */
  readonly error?: string | undefined;
  /** The stack of the error, without frames of Node and of packages; of the TypeScript sources where source maps are enabled. */
  readonly frames?: readonly string[] | undefined;
  /** Milliseconds until the key is enqueued again. Default: it is not. */
  readonly requeueAfter?: number | undefined;
  /** The id of the OpenTelemetry trace. Default: there is none. */
  readonly trace?: string | undefined;
}

/** A field that a step changes. */
export interface PlannedChange {
  /** `.spec.replicas` */
  readonly path: string;
  /** The value now. Default: the field is absent. */
  readonly old?: Json | undefined;
  /** The desired value. Default: it is removed. */
  readonly new?: Json | undefined;
}

/** A step of a plan. */
export interface PlannedStep extends ObjectIdentity {
  /** "apply", "skip", "wait", "prune", "status", or "write": a write of `reconcile` with `client`. */
  readonly step: string;
  /** The verb of a write. Default: the step is none. */
  readonly verb?: string | undefined;
  /** Why the step is skipped, waits or prunes. Default: it needs no reason. */
  readonly reason?: string | undefined;
  /** The fields of an apply or a status that differ from the live object. Default: none differ, or the object is new. */
  readonly changes?: readonly PlannedChange[] | undefined;
  /** The whole desired object, where there is no live one. Default: there is. */
  readonly body?: JsonObject | undefined;
  /** The digest of what is applied, by which a replay compares. Default: nothing is applied, or it contains secrets. */
  readonly digest?: string | undefined;
  /** The audit id of the request that executes the step; the request may be missing if an earlier step failed. Default: nothing is sent. */
  readonly request?: string | undefined;
}

/** A call of `client` in `reconcile` or `finalize`, and its response. */
export interface RecordedCall {
  /** "get Secret default/a" */
  readonly call: string;
  /** The objects of the response. Default: it has none. */
  readonly objects?: readonly ObjectIdentity[] | undefined;
  /** Default: the call succeeded. */
  readonly error?: { readonly code: number; readonly reason?: string | undefined; readonly message: string } | undefined;
}

/** What one reconcile pass was given, and what it decided. */
export interface PlanFact extends FactBase {
  readonly type: "plan";
  readonly run: string;
  readonly controller: string;
  /** The number of the pass, from 1. */
  readonly pass: number;
  /** The reconciled object. */
  readonly object: ObjectIdentity;
  /** Which function was called. */
  readonly phase: "reconcile" | "finalize";
  /** The time of the pass by the controller's clock, in milliseconds since 1970. */
  readonly now: number;
  /** The times that the pass read after that, in order, if one of them differs from `now`; the last is that of the plan. Default: time stood still. */
  readonly times?: readonly number[] | undefined;
  /** The versions of other objects that the pass read from the cache; their values are `object` facts. */
  readonly reads: readonly ObjectIdentity[];
  /** How many of `reads` `reconcile` read; the plan read the rest, where it is another version or object. Default: all. */
  readonly reconcileReads?: number | undefined;
  /** The calls of `client`, in order of their responses. Default: none. */
  readonly calls?: readonly RecordedCall[] | undefined;
  /** Why the object was enqueued, if `reconcile` read it. */
  readonly reasons?: readonly Json[] | undefined;
  /** What the pass read outside the cluster, so that it cannot be replayed: "fetch https://example.com", "exec Pod default/a". Default: nothing. */
  readonly outside?: readonly string[] | undefined;
  /** What the decision depended on beside objects. Default: nothing. */
  readonly state?: PlanState | undefined;
  /** Empty if the pass failed before it had a plan, or decided nothing. */
  readonly steps: readonly PlannedStep[];
  /** Milliseconds after which the pass wants another run. Default: none. */
  readonly requeueAfter?: number | undefined;
  /** What the pass threw. Default: it did not. */
  readonly error?: string | undefined;
  /** Whether values of the plan are secrets, and thus not comparable. Default: none is. */
  readonly redacted?: true | undefined;
}

/** State of a controller that a plan depends on. */
export interface PlanState {
  /** Kinds that the API server does not serve. */
  readonly unserved?: readonly string[] | undefined;
  /** Children that must not be repaired, with the reason. */
  readonly blocked?: Readonly<Record<string, string>> | undefined;
  /** The `Conflict` condition. */
  readonly conflict?: JsonObject | undefined;
  /** Desired digests by uid, of children of which only metadata is read. */
  readonly settled?: Readonly<Record<string, string>> | undefined;
  /** What is known of earlier writes of the status: whether other writers change it, the applied digest, and why it must not be written now. */
  readonly status?:
    | { readonly contested?: boolean | undefined; readonly applied?: string | undefined; readonly blocked?: string | undefined }
    | undefined;
}

/** The value of an object version that a pass read, recorded once. Secrets are replaced by hashes. */
export interface ObjectFact extends FactBase {
  readonly type: "object";
  /** The id of the kind: "apps/v1/Deployment". */
  readonly kind: string;
  readonly object: JsonObject;
}

/** A line that the operator logged. */
export interface LogFact extends FactBase {
  readonly type: "log";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** The fields of the log line besides the message. Default: none. */
  readonly fields?: JsonObject | undefined;
  /** The run that logged it. Default: it was logged outside of a run: by a controller (`fields.controller`) or by the manager. */
  readonly run?: string | undefined;
}

/** The API server called a webhook. */
export interface WebhookFact extends FactBase {
  readonly type: "webhook";
  readonly webhook: string;
  readonly kind: "mutating" | "validating";
  readonly operation: string;
  /** The audit id of the request that was reviewed. */
  readonly request?: string | undefined;
  readonly allowed: boolean;
  /** HTTP status of the response; 0: the webhook could not be called. */
  readonly code: number;
  readonly duration: number;
}

/** A fault was injected. */
export interface FaultFact extends FactBase {
  readonly type: "fault";
  readonly target: "request" | "event" | "webhook";
  /** What was injected, as JSON. */
  readonly fault: string;
  /** The audit id of the request; for an event that of its watch. Default: unknown. */
  readonly request?: string | undefined;
  /** The object, the webhook or the path. */
  readonly subject: string;
}

/** The operator was built and started, or could not be. */
export interface BuildFact extends FactBase {
  readonly type: "build";
  readonly result: "started" | "restarted" | "failed";
  /** The entry file. */
  readonly entry: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Default: there are none. */
  readonly problems?: readonly string[] | undefined;
}

/** A request that writes: as its client saw it ("client"), or as the API server did ("server"). */
export interface RequestFact extends FactBase {
  readonly type: "request";
  readonly side: "client" | "server";
  /** The audit id. */
  readonly id: string;
  readonly verb: string;
  /** The kind of the object: "Deployment". Default: the server recorded the request. */
  readonly kind?: string | undefined;
  /** The resource of the request path: "deployments". Default: the client recorded the request. */
  readonly resource?: string | undefined;
  /** The namespace of the object. Default: it has none. */
  readonly namespace?: string | undefined;
  /** The name of the object. Default: the request names none, such as a deletecollection. */
  readonly name?: string | undefined;
  /** The uid of the object. Default: not known. */
  readonly uid?: string | undefined;
  /** The resourceVersion after the request. Default: not known. */
  readonly resourceVersion?: string | undefined;
  /** HTTP status; 0: no response. */
  readonly code: number;
  /** The reason of the Status: "Conflict". Default: the request succeeded. */
  readonly reason?: string | undefined;
  /** The message of a failure. Default: the request succeeded, or the message may quote a secret. */
  readonly message?: string | undefined;
  /** The authenticated user. Default: the client recorded the request. */
  readonly user?: string | undefined;
  /** The field manager of a write. Default: none was set. */
  readonly fieldManager?: string | undefined;
  /** The injected fault that the request met, as JSON. Default: none. */
  readonly fault?: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * What the metadata of an object version tells about its writer. Other controllers on a real cluster send no run ids, so the cause of their writes is inferred
 * from this.
 */
export interface ObservedVersion {
  /** The field managers whose entries in `managedFields` are new since the version before. Empty if it does not say. */
  readonly managers: readonly string[];
  /** "status" if only that subresource was written. Default: the object itself, or both. */
  readonly subresource?: string | undefined;
  /** `.metadata.generation`. Default: the kind has none. */
  readonly generation?: number | undefined;
  /** `.status.observedGeneration`. Default: the status has none. */
  readonly observedGeneration?: number | undefined;
  /** The uids of the owner references. Default: there are none. */
  readonly owners?: readonly string[] | undefined;
}

/** A commit: of the embedded API server, or, with `observed`, of a version that a watch of the operator saw. */
export interface CommitFact extends FactBase {
  readonly type: "commit";
  readonly operation: "put" | "delete";
  /** The key in the store: "/registry/pods/default/web". */
  readonly key: string;
  readonly revision: number;
  readonly uid: string;
  /** The audit id of the request that made it. Default: a controller inside the API server made it. */
  readonly request?: string | undefined;
  /** The run of a controller inside the API server. */
  readonly run?: string | undefined;
  /** The kind, of an observed version. */
  readonly kind?: string | undefined;
  /** What is known where the API server is not recorded: a watch saw this version. Default: the API server recorded the commit. */
  readonly observed?: ObservedVersion | undefined;
}

/** A watch of the operator completed a list, failed, or recovered. */
export interface WatchFact extends FactBase {
  readonly type: "watch";
  readonly kind: string;
  /** The start of its keys in the store of an embedded cluster, such as "apps/deployments": by it, commits in namespaces that are not watched are found. */
  readonly resource?: string | undefined;
  /** The controllers that it serves as their own kind. */
  readonly controllers?: readonly string[] | undefined;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly event: "listed" | "failed" | "recovered";
  /** Number of listed objects. */
  readonly objects?: number | undefined;
  /** Why the watch failed. */
  readonly message?: string | undefined;
}

/** A recorded fact. */
export type Fact =
  | BuildFact
  | RequestFact
  | CommitFact
  | EnqueueFact
  | DropFact
  | RunFact
  | PlanFact
  | ObjectFact
  | LogFact
  | WatchFact
  | WebhookFact
  | FaultFact;

type WithoutPosition<F> = F extends Fact ? Omit<F, "sequence" | "time"> : never;
/** A fact that is not recorded yet. */
export type NewFact = WithoutPosition<Fact>;
