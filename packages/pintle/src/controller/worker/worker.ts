import { Conflict, RequestError, trackWork } from "../../client/index.ts";
import { formatErrorChain } from "../../errors/index.ts";
import { type EnqueueReason, formatReason, mergeReasons, type WorkItem, type WorkOutcome } from "../../queue/index.ts";
import { enterRun, type RunRecorder } from "../../recorder/index.ts";
import type { SpanContext } from "../../telemetry/index.ts";
import type { Controller } from "../declare/controller.ts";
import { formatDuration } from "../declare/duration.ts";
import type { ControllerDeps, ReconcileResult } from "../deps.ts";
import { NotLeading, TerminalError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { formatObject, parseKey } from "../names.ts";
import type { LiveJsonObject, SettledSnapshot } from "../plan/decide.ts";
import { createDesiredDigests } from "../plan/desired-digests.ts";
import { type ApplyStep, formatPlan, isPlanSettled, type Plan } from "../plan/plan.ts";
import type { EventSources } from "../sources/event-sources.ts";
import type { OwnersInDoubt } from "../sources/owners-in-doubt.ts";
import type { ConflictReporter } from "./conflict-reporters.ts";
import type { Daemons } from "./daemons.ts";
import { describeFailure, type Failure } from "./failure.ts";
import type { FieldConflicts } from "./field-conflicts.ts";
import type { OwnWriteFilter, OwnWrites } from "./own-write-filter.ts";
import type { PassGate } from "./pass-gate.ts";
import type { RecentDeletes } from "./recent-deletes.ts";
import { describeConflict } from "./reconcile-once.ts";
import { MAX_PASSES, type Reconciliation, reconcileUntilSettled } from "./reconcile-until-settled.ts";
import { recordLog } from "./record-log.ts";
import { reportFailure } from "./report-failure.ts";

/** Repetitions of one failure within this time are counted in the next line instead of logged. */
const FOLD_WINDOW_MS = 10_000;
interface LoggedFailure {
  readonly message: string;
  /** Monotonic time. */
  readonly loggedAt: number;
}

export interface WorkerDeps {
  readonly controller: Controller;
  readonly deps: ControllerDeps;
  readonly sources: EventSources;
  readonly settledSnapshots: Map<string, SettledSnapshot>;
  readonly ownersInDoubt: OwnersInDoubt;
  readonly ownWriteFilter: OwnWriteFilter;
  readonly daemons: Daemons;
  /** Default: runs are not recorded. */
  readonly runs?: RunRecorder | undefined;
  /** Whether the workers are stopping. */
  readonly isStopping: () => boolean;
  readonly passGate: PassGate;
  readonly fieldConflicts: FieldConflicts;
  readonly recentDeletes: RecentDeletes;
  readonly conflictReporter: ConflictReporter;
}

/** Creates the function that a worker runs for each key it takes from the queue: reconcile, log, record, count. It never rejects. */
export function createWorker(workerDeps: WorkerDeps) {
  const {
    controller,
    deps,
    sources,
    settledSnapshots,
    ownersInDoubt,
    ownWriteFilter,
    daemons,
    runs,
    isStopping,
    passGate,
    fieldConflicts,
    recentDeletes,
    conflictReporter,
  } = workerDeps;
  const { clock, observer } = deps;
  const loggedRewrites = new Set<string>();
  /** The failure that was last logged, by key. */
  const loggedFailures = new Map<string, LoggedFailure>();
  /** The failure that was last recorded as an Event, by key: one Event per distinct failure, not per retry. */
  const recordedFailures = new Map<string, string>();
  /** What children waited for when that was last logged, by key. */
  const loggedWaits = new Map<string, string>();
  /** Who contests which children, as last logged and recorded as an Event, by key. */
  const recordedConflicts = new Map<string, string>();
  const appliedStatuses = new Map<string, string>();

  /** Remembers which run wrote which version. */
  const linkWrites = (writes: OwnWrites, run: string): OwnWrites => ({
    ...writes,
    recordWrite(object) {
      deps.spanLinks?.recordWrite(run, object.metadata.uid, object.metadata.resourceVersion);
      writes.recordWrite(object);
    },
    recordDelete(uid) {
      deps.spanLinks?.recordWrite(run, uid, undefined);
      writes.recordDelete(uid);
    },
  });

  return async function processItem(item: WorkItem, stop: AbortSignal): Promise<WorkOutcome> {
    const run = runs?.begin(item.key, item.waitedMs);
    const ownWrites =
      run === undefined || deps.spanLinks === undefined
        ? ownWriteFilter.track(item.key)
        : linkWrites(ownWriteFilter.track(item.key), run.id);
    const endWork = trackWork(deps.client, `reconcile ${controller.name} ${item.key}`);
    const started = clock.monotonic();
    const line = deps.logger.with({ controller: controller.name, object: item.key });
    const log = recordLog(line, deps.flightRecorder, run?.id);
    let reasons = item.reasons;
    const getObject = () => sources.primary.get(parseKey(item.key)) as LiveJsonObject | undefined;
    const reconciliation: Reconciliation = {
      key: item.key,
      controller,
      deps,
      sources,
      settledSnapshots,
      ownersInDoubt,
      ownWrites,
      log,
      daemons,
      plans: [],
      passes: 0,
      desiredDigests: createDesiredDigests(),
      conflicts: fieldConflicts.of(item.key),
      recentDeletes,
      conflictReporter,
      appliedStatuses,
      run,
      reasons: () => reasons,
      refresh() {
        reasons = mergeReasons(reasons, ownWrites.takeReasons());
        run?.absorb();
        return getObject();
      },
      onServerRewrite: logServerRewrite,
      canRepeat: () => reconciliation.passes < MAX_PASSES,
      pass: () => reconciliation.passes,
      progress: { phase: "reconcile", desired: undefined, lastCall: undefined, written: [] },
      isStopping,
      passGate,
    };

    let outcome: WorkOutcome;
    let span: SpanContext | undefined;
    try {
      const attributes = {
        "pintle.controller": controller.name,
        "pintle.object": item.key,
        "pintle.reasons": item.reasons.map(formatReason).join("; "),
        "pintle.failures": item.failures,
        ...(run === undefined ? {} : { "pintle.run": run.id }),
      };
      outcome = await enterRun(deps.flightRecorder, run, () =>
        deps.trace(`reconcile ${controller.name}`, { attributes, links: deps.spanLinks?.linksOf(run?.causes ?? []) }, (opened) => {
          span = opened;
          if (span !== undefined && run !== undefined) {
            run.setTrace(span.traceId);
            deps.spanLinks?.recordRun(run.id, span);
          }
          return reconcileUntilSettled(reconciliation, stop);
        }),
      );
      recordedFailures.delete(item.key);
    } catch (error) {
      outcome = outcomeOf(error);
      if (!stop.aborted) await report(error);
    } finally {
      ownWrites.finish();
      endWork();
    }
    recordConflict();
    const took = clock.monotonic() - started;
    const repetition = trackLoggedFailure();
    // The outcome is a fact of its own.
    logOutcome(line, {
      outcome,
      // A pass that failed has no plan, but may have written.
      plans: "error" in outcome ? [...reconciliation.plans, reconciliation.progress.written] : reconciliation.plans,
      reasons,
      took,
      isStopping: stop.aborted,
      failures: item.failures + 1,
      phase: reconciliation.progress.phase,
      repetition,
      waits: trackWaits(),
    });
    if ("error" in outcome && outcome.error instanceof NotLeading) run?.recordDrop("not leading");
    run?.end({
      result: resultOf(outcome),
      duration: took,
      error: "error" in outcome ? formatErrorChain(outcome.error) : undefined,
      frames: "error" in outcome ? listOwnFrames(outcome.error) : undefined,
      requeueAfter: outcome.type === "requeue" ? outcome.after : undefined,
    });
    observer.onReconciled?.(controller.name, item, resultOf(outcome), took, "error" in outcome ? outcome.error : undefined, span);
    return outcome;

    /** Returns whether the failure was logged before, and so recently that it is not logged again. */
    function trackLoggedFailure(): ReconcileReport["repetition"] {
      if (!("error" in outcome)) loggedFailures.delete(item.key);
      if (!("error" in outcome)) return "none";
      const message = formatErrorChain(outcome.error);
      const last = loggedFailures.get(item.key);
      const now = clock.monotonic();
      if (last?.message === message && now - last.loggedAt < FOLD_WINDOW_MS) return "folded";
      loggedFailures.set(item.key, { message, loggedAt: now });
      return last?.message === message ? "counted" : "none";
    }

    /** Returns what children newly wait for; `undefined` if that is unchanged. */
    function trackWaits(): string | undefined {
      if ("error" in outcome) return undefined;
      const waiting = (reconciliation.plans.at(-1) ?? []).filter((step) => step.step === "wait" && step.isOrdered === true);
      if (waiting.length === 0) loggedWaits.delete(item.key);
      if (waiting.length === 0) return undefined;
      const text = formatPlan(waiting);
      const isNew = loggedWaits.get(item.key) !== text;
      loggedWaits.set(item.key, text);
      return isNew ? text : undefined;
    }

    /** Logs and records each distinct conflict once. */
    function recordConflict(): void {
      const object = getObject();
      if (object === undefined) {
        fieldConflicts.forget(item.key);
        conflictReporter.report(item.key, undefined);
        appliedStatuses.delete(item.key);
      }
      const { message = "" } = describeConflict(reconciliation) ?? {};
      const conflicts = reconciliation.conflicts.list();
      // Other fields of the same child are the same conflict.
      const parties = conflicts.map(({ action, child, managers }) => [child, action, ...managers].join(" ")).join("; ");
      if (parties === (recordedConflicts.get(item.key) ?? "")) return;
      if (parties === "" || object === undefined) {
        recordedConflicts.delete(item.key);
        log.info("Conflict has ended");
        return;
      }
      recordedConflicts.set(item.key, parties);
      const { action, child, managers, fields } = conflicts[0]!;
      const backoff = formatDuration(reconciliation.conflicts.nextRetry() ?? 0);
      log.warn("Conflict with another field manager, backing off", {
        ...{ action, child, managers, fields, backoff },
        fieldManager: controller.name,
      });
      if (!deps.reportFailures) return;
      deps.recorder.recordEvent({
        controller: controller.name,
        kind: controller.kind,
        object,
        type: "Warning",
        reason: "Conflict",
        message,
        auditId: run?.nextAuditId(),
      });
    }

    /** Reports a failure on the object: in its conditions, and as a Warning Event. */
    async function report(error: unknown): Promise<void> {
      const { progress } = reconciliation;
      const isReturned = progress.desired?.failure === error;
      const failure = describeFailure(controller, error, progress.phase, isReturned ? "returned" : item.failures);
      const object = getObject();
      if (object === undefined) for (const known of [recordedFailures, loggedFailures] as const) known.delete(item.key);
      if (failure === undefined || object === undefined || !deps.reportFailures) return;
      const { reason, message } = failure;
      if (recordedFailures.get(item.key) !== message) {
        recordedFailures.set(item.key, message);
        deps.recorder.recordEvent({
          controller: controller.name,
          kind: controller.kind,
          object,
          type: "Warning",
          reason,
          message,
          auditId: run?.nextAuditId(),
        });
      }
      // A returned failure has been written by the plan.
      if (!isReturned) await reportFailure(reconciliation, object, failure, stop);
    }

    /** Logs each set of rewritten fields once per controller. */
    function logServerRewrite(step: ApplyStep, paths: readonly string[]): void {
      const id = `${step.kind.id} ${paths.join(" ")}`;
      if (loggedRewrites.has(id)) return;
      loggedRewrites.add(id);
      const message = "Server stores fields differently than applied: leave them out to save a request per change";
      log.info(message, { child: formatObject(step.kind, step), fields: paths });
    }
  };
}

function outcomeOf(error: unknown): WorkOutcome {
  if (error instanceof TerminalError) return { type: "terminal", error };
  const minDelay = retryAfterMilliseconds(error);
  return { type: "failed", error, ...(minDelay === undefined ? {} : { minDelay }) };
}

/** The Retry-After of the API server in milliseconds; the longest of several errors. */
function retryAfterMilliseconds(error: unknown): number | undefined {
  if (error instanceof AggregateError) {
    const delays = error.errors.map(retryAfterMilliseconds).filter((delay) => delay !== undefined);
    return delays.length === 0 ? undefined : Math.max(...delays);
  }
  const seconds = error instanceof RequestError ? error.status?.details?.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

function resultOf({ type }: WorkOutcome): ReconcileResult {
  return type === "done" ? "success" : type === "requeue" ? "requeue_after" : type === "failed" ? "error" : "terminal";
}

interface ReconcileReport {
  readonly outcome: WorkOutcome;
  readonly plans: readonly Plan[];
  readonly reasons: readonly EnqueueReason[];
  readonly took: number;
  /** The manager stops: an aborted reconciliation is no failure. */
  readonly isStopping: boolean;
  /** The number of failures in a row, this one included. */
  readonly failures: number;
  readonly phase: Failure["phase"];
  /** A failure that was logged before is logged without its stack ("counted"), or as debug if that was just now ("folded"). */
  readonly repetition: "none" | "counted" | "folded";
  /** What children newly wait for. */
  readonly waits: string | undefined;
}

/** Logs one line per reconciliation: why it ran, what it wrote, how long it took. A reconciliation without writes is logged as debug. */
function logOutcome(log: Logger, { outcome, plans, reasons, took, isStopping, failures, phase, repetition, waits }: ReconcileReport): void {
  const written = plans.filter((each) => !isPlanSettled(each)).map(formatPlan);
  const fields = {
    reasons: reasons.map(formatReason),
    ...(written.length === 0 ? {} : { plan: written.join("; ") }),
    duration: formatDuration(took),
  };
  switch (outcome.type) {
    case "failed":
      if (!isStopping) logFailure(log, outcome.error, { ...fields, failures }, phase, repetition);
      break;
    case "terminal":
      log.error("Reconciler error, not retried before the next event", { ...fields, error: outcome.error });
      break;
    case "requeue":
      if (written.length > 0) log.info("Reconciled", { ...fields, requeueAfter: formatDuration(outcome.after) });
      else if (waits !== undefined) log.info("Waiting", { ...fields, plan: waits, requeueAfter: formatDuration(outcome.after) });
      else log.debug("Requeued after", { ...fields, requeueAfter: formatDuration(outcome.after) });
      break;
    case "done":
      if (written.length > 0) log.info("Reconciled", fields);
      else if (waits !== undefined) log.info("Waiting", { ...fields, plan: waits });
      else log.debug("Reconciled", fields);
  }
}

/** A failure that repeats is logged in one line, without its stack, and at most once in ten seconds. */
function logFailure(
  log: Logger,
  error: unknown,
  fields: object,
  phase: ReconcileReport["phase"],
  repetition: ReconcileReport["repetition"],
): void {
  const message = phase === "finalize" ? "Finalizer error" : "Reconciler error";
  // Normal among several writers: the retry reads the new version.
  if (error instanceof Conflict) log.debug("Reconcile conflict, retrying", { ...fields, error: error.message });
  else if (error instanceof NotLeading) log.info("Write refused, this process is not the leader", { ...fields });
  else if (repetition === "none") log.error(message, { ...fields, error });
  else log[repetition === "folded" ? "debug" : "error"](message, { ...fields, error: formatErrorChain(error) });
}

const MAX_FRAMES = 10;

/** The stack of an error and its causes, without frames of Node and of packages. */
function listOwnFrames(error: unknown): readonly string[] | undefined {
  const frames: string[] = [];
  for (let each: unknown = error; each instanceof Error && frames.length < MAX_FRAMES; each = each.cause)
    for (const line of (each.stack ?? "").split("\n"))
      if (/^ {4}at /.test(line) && !/node:|[\\/]node_modules[\\/]/.test(line)) frames.push(line.slice("    at ".length));
  return frames.length === 0 ? undefined : frames.slice(0, MAX_FRAMES);
}
