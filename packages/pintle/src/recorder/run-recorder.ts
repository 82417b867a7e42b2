import type { CommitFact, DropReason, NewFact, ObjectIdentity, PlanFact, RunCause, RunResult } from "./facts.ts";
import type { FlightRecorder } from "./flight-recorder.ts";

/** How a run ended. */
interface RunEnd {
  readonly result: Exclude<RunResult, "running">;
  /** Milliseconds. */
  readonly duration: number;
  readonly error?: string | undefined;
  readonly frames?: readonly string[] | undefined;
  readonly requeueAfter?: number | undefined;
}

/** The response of a write. */
export interface RecordedResponse {
  /** HTTP status; 0: none. */
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The name, where the server generated it. */
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A write of a run, from before it is sent. */
export interface RecordedRequest {
  /** The value of its `Audit-ID` header. */
  readonly id: string;
  /** Records the response. */
  end(response: RecordedResponse): void;
}

/** One run of a key, while it is recorded. */
export interface RecordedRun {
  readonly id: string;
  /** The causes so far. */
  readonly causes: readonly RunCause[];
  /** Moves the causes that were enqueued since the start into this run: it reads the state again. */
  absorb(): void;
  /** Returns the `Audit-ID` of the next write. */
  nextAuditId(): string;
  /** Records a write; its response is recorded by `end`. `auditId`: that of the step it executes, or of the caller. Default: the next one. */
  beginRequest(verb: string, object: ObjectIdentity, auditId?: string): RecordedRequest;
  recordPlan(plan: Omit<PlanFact, "sequence" | "time" | "type" | "run" | "controller">): void;
  recordDrop(reason: DropReason, until?: number): void;
  /** Adds time that `reconcile` or `finalize` took. */
  addReconcileTime(ms: number): void;
  /** The id of the OpenTelemetry trace of the run. */
  setTrace(id: string): void;
  /** The recorder of this run. */
  readonly recorder: FlightRecorder;
  /** Records a commit that the run made without a request, inside the API server. */
  recordCommit(commit: Pick<CommitFact, "operation" | "key" | "revision" | "uid">): void;
  end(end: RunEnd): void;
}

/** Records the enqueues, dropped events and runs of one controller. */
export interface RunRecorder {
  /** A key is enqueued: the cause belongs to its next run. `isLeading`: whether this process may run it now. Default: true. */
  enqueue(key: string, cause: RunCause, isLeading?: boolean): void;
  drop(reason: DropReason, cause: RunCause, key?: string): void;
  /** The last run of a key has failed: it is retried after so many milliseconds. */
  backOff(key: string, delayMs: number): void;
  /** A run of a key starts; it takes all causes that were enqueued for the key. */
  begin(key: string, waited: number): RecordedRun;
}

export interface RunRecorderOptions {
  readonly controller: string;
  /** Monotonic time. */
  readonly now: () => number;
  /** Whether enqueues and dropped events are facts of their own; the causes of runs are recorded anyway. Default: true. */
  readonly recordsEnqueues?: boolean | undefined;
}

/** Returns the run of an audit id `<process>-<run>.<n>`; undefined for ids of other clients. */
export function runIdOfAuditId(auditId: string): string | undefined {
  return /^([0-9a-f]{8}-\d+)\.\d+$/.exec(auditId)?.[1];
}

/** Calls `work` in the scope of a run, where the recorder has scopes. */
export function enterRun<T>(recorder: FlightRecorder | undefined, run: RecordedRun | undefined, work: () => T): T {
  return recorder?.enter === undefined || run === undefined ? work() : recorder.enter(run, work);
}

/** The causes of one run by object, so that a thousand events of one object are one cause. */
type CauseMap = Map<string, RunCause>;

export function createRunRecorder(recorder: FlightRecorder, options: RunRecorderOptions): RunRecorder {
  const { controller, now, recordsEnqueues = true } = options;
  const pending = new Map<string, CauseMap>();

  /** Returns whether the key had causes, and whether this version was one of them already. */
  const addPending = (key: string, cause: RunCause): { readonly merged: boolean; readonly duplicate: boolean } => {
    const known = pending.get(key);
    if (known === undefined) {
      pending.set(key, new Map([[idOf(cause), cause]]));
      return { merged: false, duplicate: false };
    }
    const duplicate = recordsEnqueues && hasVersion(known, cause);
    addCause(known, cause);
    return { merged: true, duplicate };
  };
  return {
    enqueue(key, cause, isLeading = true) {
      const { merged, duplicate } = addPending(key, cause);
      if (!recordsEnqueues) return;
      const reason = duplicate ? "duplicate" : isLeading ? undefined : "not leading";
      if (reason === undefined) recorder.record({ type: "enqueue", controller, key, cause, merged });
      else recorder.record({ type: "drop", controller, reason, key, cause });
    },
    drop(reason, cause, key) {
      if (recordsEnqueues) recorder.record({ type: "drop", controller, reason, key, cause });
    },
    backOff(key, delayMs) {
      if (!recordsEnqueues) return;
      const cause = [...(pending.get(key)?.values() ?? [])].find(({ event }) => event === "retry");
      recorder.record({
        type: "drop",
        controller,
        reason: "backing off",
        key,
        cause,
        run: cause?.run,
        until: recorder.now() + round(delayMs),
      });
    },
    begin(key, waited) {
      const id = recorder.nextRunId();
      const startedAt = now();
      const causes: CauseMap = pending.get(key) ?? new Map();
      pending.delete(key);
      let requests = 0;
      let inFlight = 0;
      let busySince = 0;
      let requesting = 0;
      let reconciling = 0;
      let trace: string | undefined;
      const describe = (end: Partial<RunEnd>) => ({
        type: "run" as const,
        id,
        controller,
        key,
        causes: [...causes.values()],
        waited: round(waited),
        duration: round(end.duration ?? now() - startedAt),
        reconciling: reconciling === 0 ? undefined : round(reconciling),
        requesting: requesting === 0 ? undefined : round(requesting),
        result: end.result ?? ("running" as const),
        error: end.error,
        frames: end.frames,
        requeueAfter: end.requeueAfter,
        trace,
      });
      const untrack = recorder.track({ describe: () => describe({}) });
      const nextAuditId = () => `${id}.${++requests}`;
      return {
        id,
        recorder,
        get causes() {
          return [...causes.values()];
        },
        absorb() {
          for (const cause of pending.get(key)?.values() ?? []) addCause(causes, cause);
          pending.delete(key);
        },
        nextAuditId,
        beginRequest(verb, object, auditId = nextAuditId()) {
          const sentAt = now();
          if (inFlight++ === 0) busySince = sentAt;
          return {
            id: auditId,
            end(response) {
              const endedAt = now();
              if (--inFlight === 0) requesting += endedAt - busySince;
              const fact: NewFact = {
                type: "request",
                side: "client",
                id: auditId,
                verb,
                kind: object.kind,
                namespace: object.namespace,
                name: response.name ?? object.name,
                uid: response.uid ?? object.uid,
                resourceVersion: response.resourceVersion ?? object.resourceVersion,
                code: response.code,
                reason: response.reason,
                message: response.message,
                duration: round(endedAt - sentAt),
              };
              recorder.record(fact);
            },
          };
        },
        recordPlan: (plan) => recorder.record({ type: "plan", run: id, controller, ...plan }),
        recordDrop(reason, until) {
          recorder.record({ type: "drop", controller, reason, key, run: id, until });
        },
        addReconcileTime(ms) {
          reconciling += ms;
        },
        setTrace(traceId) {
          trace = traceId;
        },
        recordCommit: (commit) => recorder.record({ type: "commit", ...commit, run: id }),
        end(end) {
          untrack();
          recorder.record(describe(end));
          // The key is enqueued again because of this run.
          if (end.result === "error") addPending(key, { event: "retry", run: id });
          if (end.result === "requeue_after") addPending(key, { event: "requeue", run: id });
        },
      };
    },
  };
}

/** Whether a version of an object is among the causes, from another event source. */
function hasVersion(causes: CauseMap, { object, event, source }: RunCause): boolean {
  if (object === undefined) return false;
  for (const cause of causes.values())
    if (
      cause.object?.uid === object.uid &&
      cause.source !== source &&
      cause.object?.resourceVersion === object.resourceVersion &&
      (cause.event === "deleted") === (event === "deleted")
    )
      return true;
  return false;
}

function addCause(causes: CauseMap, cause: RunCause): void {
  const id = idOf(cause);
  const known = causes.get(id);
  if (known === undefined) {
    causes.set(id, cause);
    return;
  }
  const first = known.first ?? known.object?.resourceVersion;
  causes.set(id, first === cause.object?.resourceVersion ? cause : { ...cause, first });
}

const idOf = ({ event, source, object, run }: RunCause) =>
  object === undefined ? `${event} ${source} ${run}` : `${object.uid} ${event === "deleted"} ${source}`;

/** Microseconds are precise enough, and short as JSON. */
const round = (ms: number) => Math.round(ms * 1000) / 1000;
