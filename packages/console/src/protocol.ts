/**
 * The protocol between the page and its server: the JSON of every route. Both sides import the types of this file and nothing else of each other.
 *
 * - All routes start with `/api`. `GET` reads, `POST` and `DELETE` write; `POST` bodies are JSON.
 * - Every route but `POST /api/login` needs the cookie that it sets. Every `POST` and `DELETE` needs the header `WRITE_HEADER`, also login.
 * - Every read takes `at=REVISION` (default: now) and, on a page below `/fork/ID/`, `fork=ID`.
 * - A failure is an `ApiFailure` with the HTTP status of its `code`.
 * - Times are milliseconds since 1970 by the cluster's clock. Optional members are absent if they are not known or do not apply.
 * - Objects are named by `ObjectPath`: "apps/deployments/default/web", "core/nodes/-/node-1". Page URLs and routes use the same text.
 * - Secret values never appear: they are replaced by hashes, "(redacted 3fa9c2d1e0b7)".
 */
import type { CommitExplanation, Fact, ObjectIdentity, RunCause, RunResult } from "pintle";

/** The header of every write; its value is "1". A page of another origin cannot send it without being asked first, and is refused. */
export const WRITE_HEADER = "x-pintle-console";
/** The version of this protocol. The page reloads when the server has another one. */
export const PROTOCOL_VERSION = 1;

/**
 * group/resource/namespace/name. The core group is "core"; cluster-scoped objects have the namespace "-". Segments are percent-encoded in URLs.
 */
export type ObjectPath = string;

/** The body of every failure. */
export interface ApiFailure {
  readonly error: {
    /** The HTTP status. */
    readonly code: number;
    /**
     * "Unauthorized" (no cookie: ask for the URL again), "Forbidden", "NotFound", "Gone" (the revision is not retained: `oldest` is), "Invalid",
     * "Conflict", "ReadOnly" (the session allows no such write), "Unsupported" (the source cannot know it), "Internal".
     */
    readonly reason: "Unauthorized" | "Forbidden" | "NotFound" | "Gone" | "Invalid" | "Conflict" | "ReadOnly" | "Unsupported" | "Internal";
    /** One or two sentences that name the object and the way out. */
    readonly message: string;
    /** With "Gone": the oldest retained revision. */
    readonly oldest?: number | undefined;
    /** With "Invalid" and "Conflict" of an object: the fields, in the words of the API server. */
    readonly fields?: readonly FieldProblem[] | undefined;
  };
}
/** A problem of one field, as the API server reports it. */
export interface FieldProblem {
  /** ".spec.size"; "" for the whole object. */
  readonly path: string;
  readonly message: string;
}

// ---- Login

/** `POST /api/login`: 204 and the cookie, or 401. The key is the URL's fragment: `#key=...`. Remove it from the URL afterwards. */
export interface LoginRequest {
  readonly key: string;
}

// ---- Session

/**
 * What the page shows. "dev": an embedded cluster or an existing one below `pintle dev`; "trace": a file; "production": a running operator, read by the rights
 * of the viewer.
 */
export type SessionMode = "dev" | "trace" | "production";

/** A group of writes. The page hides or explains those that are absent from `Session.can`. */
export type Capability =
  /** Validate, dry-run and apply objects; apply samples; delete objects. */
  | "edit"
  | "exec"
  | "logs"
  | "port-forward"
  | "faults"
  /** Advance the virtual clock. */
  | "clock"
  | "restart"
  | "fork"
  | "replay"
  /** `POST /api/queue/run`. */
  | "run-now"
  | "save-trace"
  /** Objects at any retained revision; otherwise only those that the recording knows. */
  | "history";

/** `GET /api/session` and the event "session" of the stream. */
export interface Session {
  readonly protocol: number;
  readonly version: string;
  readonly mode: SessionMode;
  /** The name of the project, the trace file or the context. */
  readonly name: string;
  /** "embedded", a context, "trace", or the pod of the operator. */
  readonly cluster: string;
  /** The id of the recording; facts of another one have other sequences. */
  readonly recording: string;
  readonly can: readonly Capability[];
  /** Why other writes are impossible, for tooltips. */
  readonly readOnlyReason?: string | undefined;
  readonly now: number;
  /** Whether the clock is virtual. */
  readonly virtualClock: boolean;
  /** The current revision, and the oldest that is retained. Default: the source has no history of a whole cluster. */
  readonly revision?: number | undefined;
  readonly oldestRevision?: number | undefined;
  /** The number of the last fact, the first that is retained, and how many were dropped. */
  readonly sequence: number;
  readonly oldestSequence: number;
  readonly dropped: number;
  readonly build?: BuildState | undefined;
  readonly operator?: { readonly state: "running" | "stopped" | "starting"; readonly since?: number | undefined } | undefined;
  readonly forks: readonly Fork[];
  readonly faults: number;
  /** Of mode "trace". */
  readonly trace?: TraceState | undefined;
  /** Sample files of the project, for "apply samples". */
  readonly samples: readonly string[];
  /** Command lines for a terminal: kubectl with the right kubeconfig. */
  readonly kubectl?: string | undefined;
}

/** The last build. */
export interface BuildState {
  readonly number: number;
  readonly result: "started" | "restarted" | "failed";
  readonly time: number;
  readonly duration: number;
  readonly entry: string;
  readonly problems: readonly BuildProblem[];
}
/** A compile error. */
export interface BuildProblem {
  /** The whole line, as in the terminal. */
  readonly text: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly excerpt?: SourceExcerpt | undefined;
}
/** Lines of a source file around a place. */
export interface SourceExcerpt {
  readonly file: string;
  /** The line that is meant, and its column. */
  readonly line: number;
  readonly column?: number | undefined;
  /** The number of the first of `lines`. */
  readonly first: number;
  readonly lines: readonly string[];
  /** A link that opens an editor there. */
  readonly editor?: string | undefined;
}
/** What a trace file is about. */
export interface TraceState {
  readonly file: string;
  readonly source: "test" | "dev" | "cluster" | "operator";
  readonly written: number;
  readonly test?:
    | {
        readonly name: string;
        readonly file?: string | undefined;
        readonly error?: string | undefined;
        readonly expected?: string | undefined;
        readonly actual?: string | undefined;
      }
    | undefined;
  /** Where to land: the revision at the failure. */
  readonly revision?: number | undefined;
  readonly output: string;
}

// ---- Facts and the stream

/**
 * A fact as a row, without its details: the page keeps all of them, and reads details by `sequence`. The fact type "object" has no row, so
 * sequences of rows have gaps.
 */
export interface FactRow {
  readonly sequence: number;
  readonly time: number;
  readonly type: Exclude<Fact["type"], "object">;
  /** One line, in the words of the terminal. */
  readonly text: string;
  /** "error" and "warning" are troubles; "noise" is folded and counted (runs without effect, own echoes). */
  readonly tone: "error" | "warning" | "normal" | "noise";
  readonly object?: ObjectPath | undefined;
  readonly controller?: string | undefined;
  readonly run?: string | undefined;
  /** The audit id. */
  readonly request?: string | undefined;
  readonly revision?: number | undefined;
  readonly code?: number | undefined;
  readonly duration?: number | undefined;
  /** The number of the build that was running. */
  readonly build?: number | undefined;
}

/** `GET /api/facts?after=SEQUENCE&before=SEQUENCE&limit=N&types=run,request&q=TEXT&object=PATH`: rows, oldest first; the newest `limit` (default and maximum 5,000) of those asked for. */
export interface FactsPage {
  readonly recording: string;
  readonly rows: readonly FactRow[];
  /** Whether older ones match, too. */
  readonly more: boolean;
  readonly sequence: number;
  readonly oldestSequence: number;
}

/** `GET /api/facts/SEQUENCE`, and `GET /api/facts/details?from=SEQUENCE&to=SEQUENCE` (at most 200) with `facts`. */
export interface FactDetails {
  readonly facts: readonly Fact[];
}

/**
 * `GET /api/stream?after=SEQUENCE`, Server-Sent Events. The id of an event is `<recording>.<sequence>`, so that `Last-Event-ID` resumes exactly.
 * Batches come at most every 100 ms. A comment keeps the connection alive every 15 s. Events by name:
 *
 * - "facts": `FactBatch`
 * - "session": `Session`, first and whenever anything but `now`, `revision` and `sequence` changes
 * - "gap": `StreamGap`: some facts are not retained any more
 * - "reset": `StreamReset`: another recording (the server was restarted): read everything again
 */
export interface FactBatch {
  readonly rows: readonly FactRow[];
  readonly sequence: number;
  readonly revision?: number | undefined;
  readonly now: number;
}
export interface StreamGap {
  readonly oldestSequence: number;
}
export interface StreamReset {
  readonly recording: string;
}

// ---- Now

/** `GET /api/now` */
export interface Now {
  readonly settled: boolean;
  /** Worst first. */
  readonly troubles: readonly Trouble[];
  /** The objects of the operator's own kinds, worst first; at most 500. */
  readonly objects: readonly ObjectSummary[];
  readonly counts: {
    readonly objects: number;
    readonly runs: number;
    readonly failedRuns: number;
    readonly requests: number;
    readonly waiting: number;
  };
}
/** Something that needs attention. */
export interface Trouble {
  readonly kind: "build" | "failing" | "forbidden" | "flapping" | "watch" | "object" | "exited" | "fault";
  readonly title: string;
  readonly detail?: string | undefined;
  /** The way out: for "forbidden" the line to write. */
  readonly advice?: string | undefined;
  readonly object?: ObjectPath | undefined;
  readonly run?: string | undefined;
  readonly controller?: string | undefined;
  readonly since?: number | undefined;
  readonly count?: number | undefined;
  /** "failing": when the key is tried again. */
  readonly nextRetry?: number | undefined;
  readonly excerpt?: SourceExcerpt | undefined;
  /** "forbidden" */
  readonly denied?: DeniedGroup | undefined;
  /** "flapping" */
  readonly flapping?: Flapping | undefined;
}
/** Two field managers that overwrite each other. */
export interface Flapping {
  readonly object: ObjectPath;
  readonly field: string;
  readonly managers: readonly string[];
  readonly perMinute: number;
  readonly values: readonly unknown[];
  readonly lastRevision: number;
}

// ---- Objects

/** `GET /api/kinds` */
export interface KindList {
  readonly kinds: readonly KindSummary[];
}
export interface KindSummary {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly count: number;
  /** Whether the operator reconciles it. */
  readonly own: boolean;
  readonly custom: boolean;
}

/** An object in a list or a tree. */
export interface ObjectSummary {
  readonly path: ObjectPath;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly created?: number | undefined;
  /** When it was marked for deletion. */
  readonly deleting?: number | undefined;
  /** When it was deleted; it is not there at the moment that is shown. */
  readonly deleted?: number | undefined;
  readonly state: "ok" | "progressing" | "failed" | "unknown";
  /** "Available", "CrashLoopBackOff: ..." */
  readonly stateText: string;
  /** The uids of its owners, the controlling one first. */
  readonly owners: readonly string[];
}

/**
 * `GET /api/objects?kind=GROUP/RESOURCE&namespace=NS&q=TEXT&label=SELECTOR&state=failed&deleted=true&limit=N&offset=N`. Sorted by trouble, then path. Default
 * limit 500.
 */
export interface ObjectList {
  readonly revision?: number | undefined;
  readonly total: number;
  readonly items: readonly ObjectSummary[];
}

/** `GET /api/tree?root=PATH&limit=200`: objects by owner. Without `root`: those of the operator's own kinds and what they own. */
export interface ObjectTree {
  readonly revision?: number | undefined;
  /** Parents before children; `owners[0]` that is in the list is the parent. */
  readonly nodes: readonly ObjectSummary[];
  /** How many objects were left out, by kind: the least troubled. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** `GET /api/objects/PATH`: also of a deleted object, as it was last. */
export interface ObjectDetail {
  readonly summary: ObjectSummary;
  readonly object: Readonly<Record<string, unknown>>;
  /** Without managedFields. */
  readonly yaml: string;
  readonly owners: readonly ObjectSummary[];
  readonly children: readonly ObjectSummary[];
  readonly conditions: readonly ConditionState[];
  /** Its retained revisions, oldest first, for `[` and `]`. */
  readonly revisions: readonly ObjectRevision[];
  /** What waits for its key. */
  readonly queue?: QueueKey | undefined;
  /** Containers, of a Pod. */
  readonly containers: readonly string[];
  readonly ports: readonly number[];
  /** Commands for a terminal. */
  readonly commands: readonly string[];
}
export interface ObjectRevision {
  readonly revision: number;
  readonly time?: number | undefined;
  readonly operation: "put" | "delete";
  /** Who wrote it: field manager, user or run. */
  readonly by: string;
}
/** A condition and when it changed. */
export interface ConditionState {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: number | undefined;
  /** The status before. */
  readonly from?: string | undefined;
}

/** `GET /api/objects/PATH/story`: what happened to it, newest first. `limit` (default 200), `before=REVISION`. */
export interface Story {
  readonly entries: readonly StoryEntry[];
  readonly more: boolean;
  readonly oldestRevision?: number | undefined;
}
/** A commit, a run, a drop, an event, or a log line of an object. Runs without effect in a row are one entry with a count. */
export type StoryEntry = StoryCommit | StoryRun | StoryDrop | StoryText;
export interface StoryCommit {
  readonly type: "commit";
  readonly time: number;
  readonly revision: number;
  readonly operation: "create" | "update" | "delete";
  readonly changes: readonly FieldChange[];
  readonly user?: string | undefined;
  readonly manager?: string | undefined;
  readonly verb?: string | undefined;
  readonly request?: string | undefined;
  readonly run?: string | undefined;
  readonly controller?: string | undefined;
  /** From what its cause was inferred; drawn dashed. */
  readonly inferred?: string | undefined;
  readonly subresource?: string | undefined;
}
export interface StoryRun extends RunSummary {
  readonly type: "run";
  /** How many runs without effect this entry stands for. Default: 1. */
  readonly count?: number | undefined;
  readonly steps: readonly PlanStep[];
}
export interface StoryDrop {
  readonly type: "drop";
  readonly time: number;
  readonly controller: string;
  /** "predicate" ... */
  readonly reason: string;
  /** The reason as a sentence. */
  readonly text: string;
  readonly cause?: RunCause | undefined;
  readonly count: number;
}
export interface StoryText {
  readonly type: "event" | "log" | "fault" | "webhook";
  readonly time: number;
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  readonly run?: string | undefined;
}

/** A field that differs. */
export interface FieldChange {
  readonly path: string;
  /** Absent: the field did not exist. */
  readonly old?: unknown;
  /** Absent: the field was removed. */
  readonly new?: unknown;
}

/** `GET /api/objects/PATH/diff?from=REVISION&to=REVISION` (default of `to`: `at`, or now; of `from`: the revision before `to`). */
export interface ObjectDiff {
  readonly from: { readonly revision: number; readonly time?: number | undefined; readonly yaml?: string | undefined };
  readonly to: { readonly revision: number; readonly time?: number | undefined; readonly yaml?: string | undefined };
  readonly type: "created" | "changed" | "replaced" | "deleted" | "same";
  readonly changes: readonly FieldChange[];
}

/** `GET /api/diff?from=REVISION&to=REVISION`: the whole cluster. */
export interface ClusterDiff {
  readonly from: number;
  readonly to: number;
  readonly objects: readonly {
    readonly path: ObjectPath;
    readonly kind: string;
    readonly type: "created" | "changed" | "replaced" | "deleted";
    readonly changes: readonly FieldChange[];
  }[];
}

/** `GET /api/objects/PATH/blame` */
export interface Blame {
  readonly fields: readonly BlamedField[];
}
/** A field and who owns it; list items that a manager owns alone are paths with keys: `.spec.containers[name=app].image`. */
export interface BlamedField {
  readonly path: string;
  readonly value: unknown;
  readonly managers: readonly {
    readonly manager: string;
    readonly operation: string;
    readonly subresource?: string | undefined;
    readonly time?: number | undefined;
  }[];
  /** The commit that gave it this value. */
  readonly since?: number | undefined;
  readonly time?: number | undefined;
  readonly request?: string | undefined;
  readonly run?: string | undefined;
  readonly user?: string | undefined;
}

/** `GET /api/objects/PATH/why?field=PATH` and `GET /api/why/REVISION` */
export interface Why {
  readonly explanation: CommitExplanation;
  /** The same as text. */
  readonly text: string;
}

/** `GET /api/objects/PATH/plan`: the last passes of its controllers, newest first; at most 50. */
export interface Plans {
  readonly passes: readonly PlanPass[];
}
/** One reconcile pass. */
export interface PlanPass {
  readonly run: string;
  readonly controller: string;
  readonly pass: number;
  readonly time: number;
  readonly phase: "reconcile" | "finalize";
  readonly object: ObjectIdentity;
  readonly reads: readonly ObjectIdentity[];
  readonly calls: readonly { readonly call: string; readonly error?: string | undefined }[];
  readonly outside: readonly string[];
  readonly steps: readonly PlanStep[];
  readonly error?: string | undefined;
  readonly requeueAfter?: number | undefined;
  /** Whether it can be replayed; if not, why. */
  readonly replayable: boolean;
  readonly notReplayableReason?: string | undefined;
}
export interface PlanStep {
  /** "apply", "skip", "wait", "prune", "status", "write". */
  readonly step: string;
  readonly verb?: string | undefined;
  readonly object: ObjectIdentity;
  readonly path?: ObjectPath | undefined;
  readonly reason?: string | undefined;
  readonly changes: readonly FieldChange[];
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly request?: string | undefined;
  /** The answer to the request. */
  readonly code?: number | undefined;
  readonly answer?: string | undefined;
  readonly revision?: number | undefined;
}

/** `GET /api/objects/PATH/events` and `GET /api/events?namespace=NS`: newest first. */
export interface EventList {
  readonly events: readonly ClusterEvent[];
}
export interface ClusterEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly from: string;
  readonly object: ObjectPath;
}

// ---- Runs

/** `GET /api/runs?controller=NAME&key=KEY&result=error&effect=true&before=SEQUENCE&limit=N`: newest first; running ones before all. Default limit 200. */
export interface RunList {
  readonly runs: readonly RunSummary[];
  readonly more: boolean;
  /** Runs without effect that were left out because of `effect=true`. */
  readonly folded: number;
}
export interface RunSummary {
  readonly id: string;
  readonly sequence: number;
  readonly controller: string;
  readonly key: string;
  readonly object?: ObjectPath | undefined;
  readonly time: number;
  readonly waited: number;
  readonly duration: number;
  readonly reconciling?: number | undefined;
  readonly requesting?: number | undefined;
  readonly result: RunResult;
  readonly error?: string | undefined;
  readonly causes: readonly RunCause[];
  /** How many writes it sent, and how many of them changed something. */
  readonly writes: number;
  readonly commits: readonly number[];
  readonly requeueAfter?: number | undefined;
  readonly nextRetry?: number | undefined;
  readonly build?: number | undefined;
}
/** `GET /api/runs/ID` */
export interface RunDetail {
  readonly run: RunSummary;
  readonly frames: readonly string[];
  /** The source at the first frame of the project. */
  readonly excerpt?: SourceExcerpt | undefined;
  readonly passes: readonly PlanPass[];
  readonly requests: readonly RequestSummary[];
  readonly logs: readonly StoryText[];
  /** Fields that the waking commits changed, by revision. */
  readonly wokenBy: readonly {
    readonly cause: RunCause;
    readonly path?: ObjectPath | undefined;
    readonly changes: readonly FieldChange[];
    readonly by?: string | undefined;
  }[];
  readonly trace?: string | undefined;
}

/** `GET /api/drops?object=PATH&controller=NAME&reason=predicate&before=SEQUENCE&limit=N`: why not; newest first. */
export interface DropList {
  readonly drops: readonly (StoryDrop & {
    readonly sequence: number;
    readonly key?: string | undefined;
    readonly object?: ObjectPath | undefined;
  })[];
  readonly more: boolean;
}

// ---- Requests

/** `GET /api/requests?code=403&verb=patch&user=NAME&run=ID&object=PATH&q=TEXT&before=SEQUENCE&limit=N`: newest first. Default limit 200. */
export interface RequestList {
  readonly requests: readonly RequestSummary[];
  readonly more: boolean;
  readonly denied: readonly DeniedGroup[];
}
export interface RequestSummary {
  /** The audit id. */
  readonly id: string;
  readonly sequence: number;
  readonly time: number;
  readonly duration: number;
  readonly verb: string;
  readonly resource: string;
  readonly object?: ObjectPath | undefined;
  readonly user?: string | undefined;
  readonly manager?: string | undefined;
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly fault?: string | undefined;
  readonly run?: string | undefined;
  /** The revisions that it committed. */
  readonly commits: readonly number[];
  readonly webhooks: readonly { readonly webhook: string; readonly allowed: boolean; readonly code: number; readonly duration: number }[];
}
/** Refusals of the same right. */
export interface DeniedGroup {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly user: string;
  readonly count: number;
  readonly last: number;
  readonly message: string;
  readonly namespaces: readonly string[];
  readonly runs: readonly string[];
  /** The line to write: `needs: [allow(Secret, "get")]`. */
  readonly line: string;
  /** The file to write it to, relative to the project. Default: not known. */
  readonly file?: string | undefined;
  readonly fileLine?: number | undefined;
  readonly editor?: string | undefined;
  /** The import that the line needs. */
  readonly imports?: string | undefined;
}

// ---- Chain

/** `GET /api/chain/REVISION`: the change and everything that it caused, and (`causes=true`) what caused it. x is `time`, y is `track`. */
export interface Chain {
  readonly root: number;
  readonly start: number;
  readonly end: number;
  readonly tracks: readonly ChainTrack[];
  /** In order of time, then revision: also the equal list. */
  readonly nodes: readonly ChainNode[];
  readonly edges: readonly ChainEdge[];
  /** Nodes that were left out because there are more than 200. */
  readonly leftOut: number;
}
export interface ChainTrack {
  readonly id: string;
  /** "you", "operator", "Deployment", "Pods". */
  readonly label: string;
  readonly kind: "client" | "controller" | "objects";
  /** The object, if there is just one in the track. */
  readonly object?: ObjectPath | undefined;
}
export interface ChainNode {
  /** "r946", "run a1b2c3d4-548". */
  readonly id: string;
  readonly track: string;
  readonly type: "commit" | "run";
  readonly time: number;
  /** Of a run. */
  readonly duration?: number | undefined;
  readonly revision?: number | undefined;
  readonly run?: string | undefined;
  readonly object?: ObjectPath | undefined;
  /** "Deployment default/m19 .spec.replicas 3 -> 5" */
  readonly text: string;
  readonly error?: string | undefined;
  /** The number of nodes between it and the root. */
  readonly depth: number;
}
export interface ChainEdge {
  readonly from: string;
  readonly to: string;
  /** "woke": a commit caused a run; "wrote": a run made a commit. */
  readonly type: "woke" | "wrote";
  /** From what it was inferred; drawn dashed. */
  readonly inferred?: string | undefined;
  /** Milliseconds between them. */
  readonly gap: number;
}

// ---- Watches and queue

/** `GET /api/watches` */
export interface Watches {
  readonly watches: readonly WatchState[];
  readonly queues: readonly QueueState[];
}
export interface WatchState {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly state: "synced" | "failed" | "unknown";
  readonly objects?: number | undefined;
  /** When it was last listed, and how often. */
  readonly listed?: number | undefined;
  readonly relists: number;
  readonly lastEvent?: number | undefined;
  readonly revision?: number | undefined;
  readonly problem?: string | undefined;
  readonly problemTime?: number | undefined;
  readonly controllers: readonly string[];
  readonly history: readonly { readonly time: number; readonly event: "listed" | "failed" | "recovered"; readonly text: string }[];
}
export interface QueueState {
  readonly controller: string;
  readonly running: readonly QueueKey[];
  readonly ready: readonly QueueKey[];
  readonly delayed: readonly QueueKey[];
}
export interface QueueKey {
  readonly controller: string;
  readonly key: string;
  readonly object?: ObjectPath | undefined;
  readonly state: "running" | "ready" | "delayed" | "backing off";
  /** Since when it is running or waiting. */
  readonly since?: number | undefined;
  readonly due?: number | undefined;
  readonly failures: number;
  readonly run?: string | undefined;
  readonly error?: string | undefined;
}
/** `POST /api/queue/run` with "run-now": 204. */
export interface RunNowRequest {
  readonly controller: string;
  readonly key: string;
}

// ---- Speed

/** `GET /api/speed?from=TIME&to=TIME&buckets=N&controller=NAME`: columns of the same length, for charts. Default: the last 15 minutes in 120 buckets. */
export interface Speed {
  /** Starts of the buckets. */
  readonly time: readonly number[];
  readonly step: number;
  readonly runs: readonly number[];
  readonly errors: readonly number[];
  readonly requests: readonly number[];
  /** Milliseconds; null in a bucket without runs. */
  readonly durationP50: readonly (number | null)[];
  readonly durationP99: readonly (number | null)[];
  readonly waitedP50: readonly (number | null)[];
  readonly waitedP99: readonly (number | null)[];
  /** Sum of the milliseconds of runs: waited, in reconcile without requests, in requests, the rest. */
  readonly parts: { readonly waited: number; readonly reconcile: number; readonly requests: number; readonly rest: number };
  readonly slowest: readonly RunSummary[];
  readonly controllers: readonly {
    readonly controller: string;
    readonly runs: number;
    readonly errors: number;
    readonly p50: number;
    readonly p99: number;
  }[];
  /** Builds and faults, as marks. */
  readonly marks: readonly { readonly time: number; readonly text: string }[];
}

// ---- Lab

/** `GET /api/lab` */
export interface Lab {
  readonly faults: readonly ActiveFault[];
  readonly forks: readonly Fork[];
  readonly clock: { readonly now: number; readonly virtual: boolean };
  /** Time of the last strikes, newest first. */
  readonly strikes: readonly {
    readonly time: number;
    readonly fault: string;
    readonly subject: string;
    readonly request?: string | undefined;
  }[];
}
/** A fault rule, as `cluster.faults.add` takes it; patterns are strings with `*`, or lists. */
export interface FaultRuleJson {
  readonly on?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly do: Readonly<Record<string, string | number | boolean>>;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
  readonly seed?: number | undefined;
}
/** `POST /api/lab/faults` with a `FaultRuleJson` answers this; `DELETE /api/lab/faults/ID` ends it. */
export interface ActiveFault {
  readonly id: string;
  readonly rule: FaultRuleJson;
  readonly text: string;
  readonly hits: number;
  readonly since: number;
}
/** `POST /api/lab/clock`: answers `{ now }`. */
export interface AdvanceClockRequest {
  readonly milliseconds: number;
}
/** `POST /api/lab/forks`: answers a `Fork`. `DELETE /api/lab/forks/ID`. */
export interface ForkRequest {
  /** Default: now. */
  readonly at?: number | undefined;
}
/** A fork of the cluster: its objects are read and written with `fork=ID`, or with kubectl. */
export interface Fork {
  readonly id: string;
  readonly at: number;
  readonly revision: number;
  readonly created: number;
  readonly kubectl: string;
}
/** `POST /api/lab/restart`: `{}`; restarts the operator. 204. */
/** `POST /api/replay`: plan against plan; nothing is sent. */
export interface ReplayRequest {
  readonly run: string;
}
export interface ReplayResult {
  readonly run: string;
  readonly passes: readonly ReplayedPass[];
}
export interface ReplayedPass {
  readonly pass: number;
  readonly result: "same" | "differs" | "not comparable";
  /** Why it is not comparable, or what differs, in lines. */
  readonly text: string;
  readonly recorded: readonly PlanStep[];
  readonly replayed: readonly PlanStep[];
  readonly recordedError?: string | undefined;
  readonly replayedError?: string | undefined;
}

// ---- Schema and editing

/** `GET /api/schemas` */
export interface SchemaList {
  readonly schemas: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly resource: string;
    readonly own: boolean;
    readonly description: string;
  }[];
}
/** `GET /api/schemas/GROUP/VERSION/KIND` */
export interface SchemaDetail {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly description: string;
  /** The OpenAPI v3 schema, references resolved, cut at 12 levels. */
  readonly schema: JsonSchema;
  /** A sample of the project or a minimal object, as YAML. */
  readonly sample: string;
  readonly printerColumns: readonly { readonly name: string; readonly path: string }[];
}
/** The members of an OpenAPI v3 schema that a form needs; others are passed through. */
export interface JsonSchema {
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly items?: JsonSchema | undefined;
  readonly nullable?: boolean | undefined;
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message?: string | undefined }[] | undefined;
  readonly [extension: string]: unknown;
}

/** `POST /api/apply`: server-side apply with the field manager "pintle-console". Always dry-run first: the page shows the diff. */
export interface ApplyRequest {
  readonly yaml: string;
  readonly dryRun: boolean;
  /** Take over fields of other managers. Default: false, a conflict is a failure with `fields`. */
  readonly force?: boolean | undefined;
}
/** Failures are `ApiFailure` with reason "Invalid" or "Conflict" and `fields`. */
export interface ApplyResult {
  readonly objects: readonly {
    readonly path: ObjectPath;
    readonly outcome: "created" | "changed" | "unchanged";
    readonly changes: readonly FieldChange[];
    readonly revision?: number | undefined;
    readonly warnings: readonly string[];
  }[];
}
/** `POST /api/samples`: `{}`; applies the samples of the project. Answers `ApplyResult`. */
/** `DELETE /api/objects/PATH`: 204. */

// ---- Pods

/** `GET /api/logs/NAMESPACE/POD?container=NAME&tail=500&previous=true`: Server-Sent Events: "line" with `LogLine[]`, "end" with `{ reason }`. */
export interface LogLine {
  readonly time?: string | undefined;
  readonly text: string;
}
/** `POST /api/exec`: one line, split like a shell splits words, no shell; at most 30 s and 256 KB. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
  readonly command: string;
}
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly truncated: boolean;
}
/** `GET /api/port-forwards`, `POST /api/port-forwards` (answers a `PortForward`), `DELETE /api/port-forwards/ID`. */
export interface PortForwardRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}
export interface PortForward {
  readonly id: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** http://127.0.0.1:PORT */
  readonly url: string;
  readonly connections: number;
}
export interface PortForwardList {
  readonly forwards: readonly PortForward[];
}

// ---- Lifecycle

/** `GET /api/lifecycle`: extensions, catalogs, plans and revisions, where lifecycle objects are served; otherwise `served` is false. */
export interface LifecycleOverview {
  readonly served: boolean;
  readonly objects: readonly (ObjectSummary & { readonly role: "extension" | "catalog" | "revision" | "plan"; readonly detail: string })[];
}

// ---- Search

/** `GET /api/search?q=TEXT`: for Ctrl-K; best first; at most 50. */
export interface SearchResult {
  readonly hits: readonly {
    readonly type: "object" | "run" | "request" | "revision" | "kind" | "controller";
    readonly text: string;
    readonly detail: string;
    /** The path of the page: "/o/apps/deployments/default/web". */
    readonly href: string;
  }[];
}

// ---- Trace

/** `GET /api/trace`: the recording as a file to download, with "save-trace". */

/** What `GET` routes answer, by path, for typed fetching. `:x` is a variable segment; `*` is an `ObjectPath`. */
export interface Reads {
  "/api/session": Session;
  "/api/facts": FactsPage;
  "/api/facts/details": FactDetails;
  "/api/facts/:sequence": FactDetails;
  "/api/now": Now;
  "/api/kinds": KindList;
  "/api/objects": ObjectList;
  "/api/tree": ObjectTree;
  "/api/objects/*": ObjectDetail;
  "/api/objects/*/story": Story;
  "/api/objects/*/diff": ObjectDiff;
  "/api/objects/*/blame": Blame;
  "/api/objects/*/why": Why;
  "/api/objects/*/plan": Plans;
  "/api/objects/*/events": EventList;
  "/api/why/:revision": Why;
  "/api/diff": ClusterDiff;
  "/api/events": EventList;
  "/api/runs": RunList;
  "/api/runs/:id": RunDetail;
  "/api/drops": DropList;
  "/api/requests": RequestList;
  "/api/chain/:revision": Chain;
  "/api/watches": Watches;
  "/api/speed": Speed;
  "/api/lab": Lab;
  "/api/schemas": SchemaList;
  "/api/schemas/:group/:version/:kind": SchemaDetail;
  "/api/port-forwards": PortForwardList;
  "/api/lifecycle": LifecycleOverview;
  "/api/search": SearchResult;
}
/** What `POST` routes take and answer. */
export interface Writes {
  "/api/login": { readonly body: LoginRequest; readonly answer: undefined };
  "/api/queue/run": { readonly body: RunNowRequest; readonly answer: undefined };
  "/api/lab/faults": { readonly body: FaultRuleJson; readonly answer: ActiveFault };
  "/api/lab/clock": { readonly body: AdvanceClockRequest; readonly answer: { readonly now: number } };
  "/api/lab/forks": { readonly body: ForkRequest; readonly answer: Fork };
  "/api/lab/restart": { readonly body: Readonly<Record<string, never>>; readonly answer: undefined };
  "/api/replay": { readonly body: ReplayRequest; readonly answer: ReplayResult };
  "/api/apply": { readonly body: ApplyRequest; readonly answer: ApplyResult };
  "/api/samples": { readonly body: Readonly<Record<string, never>>; readonly answer: ApplyResult };
  "/api/exec": { readonly body: ExecRequest; readonly answer: ExecResult };
  "/api/port-forwards": { readonly body: PortForwardRequest; readonly answer: PortForward };
}
