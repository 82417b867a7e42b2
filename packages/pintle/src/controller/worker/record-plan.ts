import { formatErrorChain } from "../../errors/index.ts";
import type { JsonObject } from "../../json/index.ts";
import { digest, listDifferences } from "../../merge/index.ts";
import { type ObjectIdentity, type PlannedStep, type PlanState, type RecordedRun, sensitiveFieldsOfKind } from "../../recorder/index.ts";
import { type Duration, durationToMilliseconds } from "../declare/duration.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import type { ApplyStep, Plan, PlanInput, PlanStep, StatusStep } from "../plan/plan.ts";
import type { PassReads } from "./pass-reads.ts";
import type { PassDeps, PassResult } from "./reconcile-once.ts";

/** The record of one reconcile pass: one `plan` fact. */
export interface PlanRecord {
  /** `reconcile` or `finalize` is called with this object: its time is measured, and connections are noted. Passes that call neither are not recorded. */
  begin(object: LiveJsonObject): void;
  /** Waits for the call. */
  time(called: unknown): Promise<unknown>;
  /** Returns the input of the plan, which notes what the plan reads. */
  observe(input: PlanInput): PlanInput;
  /** The plan was given up because of something that a replay cannot give. */
  noteOutside(what: string): void;
  /** Records the plan before it is executed. Returns the audit ids of its steps. */
  plan(steps: Plan, requeueAfter: Duration | undefined): ReadonlyMap<PlanStep, string>;
  /** The pass has ended: records it if it had no plan. */
  end(result: PassResult): void;
  /** The pass has failed: records it if it had no plan. */
  fail(error: unknown): void;
}

/** What the plan asked for, beside objects. */
interface ObservedState {
  readonly unserved: Set<string>;
  readonly blocked: Record<string, string>;
  readonly settled: Record<string, string>;
  conflict: JsonObject | undefined;
  status: PlanState["status"];
}

const WRITES = new Set(["apply", "prune", "status"]);

export function createPlanRecord(pass: PassDeps, run: RecordedRun, reads: PassReads): PlanRecord {
  const { clock } = pass.deps;
  let object: LiveJsonObject | undefined;
  let identity: ObjectIdentity | undefined;
  let now = 0;
  let isRecorded = false;
  let hasSecretDigest = false;
  let reconcileReads: number | undefined;
  let endCall = () => {};
  const state: ObservedState = { unserved: new Set(), blocked: {}, settled: {}, conflict: undefined, status: undefined };
  const record = (steps: readonly PlannedStep[], more: { readonly requeueAfter?: number | undefined; readonly error?: string }) => {
    if (object === undefined || identity === undefined || isRecorded) return;
    isRecorded = true;
    const isSecret = hasSecretDigest || steps.some(isIncomparable);
    run.recordPlan({
      pass: pass.pass(),
      object: identity,
      phase: object.metadata.deletionTimestamp === undefined ? "reconcile" : "finalize",
      now,
      times: reads.times.some((time) => time !== now) ? [...reads.times] : undefined,
      reads: reads.reads,
      reconcileReads,
      calls: reads.calls.length === 0 ? undefined : reads.calls,
      reasons: reads.reasons,
      outside: reads.outside.length === 0 ? undefined : reads.outside,
      state: describeState(state),
      steps,
      ...more,
      redacted: isSecret ? true : undefined,
    });
  };
  const written = () =>
    pass.progress.written.map(({ kind, namespace, name, verb, reason }) => ({
      step: "write",
      verb,
      kind: kind.kind,
      namespace,
      name,
      reason,
    }));
  return {
    begin(given) {
      object = given;
      now = clock.now();
      reads.begin();
      // Before it logs anything: the object may hold secrets.
      identity = run.recorder.noteObject(pass.controller.kind, given);
      const startedAt = clock.monotonic();
      const stop = reads.observeOutside();
      endCall = () => {
        endCall = () => {};
        stop();
        run.addReconcileTime(clock.monotonic() - startedAt);
      };
    },
    async time(called) {
      try {
        return await called;
      } finally {
        endCall();
      }
    },
    observe(input) {
      reads.noteTime(input.now);
      reconcileReads = reads.reads.length;
      const { isContested, appliedDigest } = input.statusWrites;
      const isSecretStatus = appliedDigest !== undefined && sensitiveFieldsOfKind(pass.controller.kind)?.fields?.["status"] !== undefined;
      // A digest of secrets could be compared with guesses.
      hasSecretDigest ||= isSecretStatus;
      const applied = isSecretStatus ? undefined : appliedDigest;
      if (isContested || applied !== undefined) state.status = { contested: isContested || undefined, applied };
      return {
        ...input,
        getLive(kind, at) {
          const live = input.getLive(kind, at);
          if (live === undefined) return undefined;
          reads.noteObject(kind, live);
          const settled = kind.metadataOnly === true ? input.settledSnapshots.get(live.metadata.uid) : undefined;
          if (settled?.object.metadata.resourceVersion !== live.metadata.resourceVersion) return live;
          if (sensitiveFieldsOfKind(kind) === undefined) state.settled[live.metadata.uid] = settled.desiredDigest;
          else hasSecretDigest = true;
          return live;
        },
        isServed(kind) {
          const isServed = input.isServed(kind);
          if (!isServed) state.unserved.add(kind.id);
          return isServed;
        },
        listOwned(kind) {
          const children = input.listOwned(kind);
          for (const child of children) reads.noteObject(kind, child);
          return children;
        },
        describeBlocked(child) {
          const reason = input.describeBlocked(child);
          if (reason !== undefined) state.blocked[child] = reason;
          return reason;
        },
        statusWrites: {
          ...input.statusWrites,
          describeBlocked(desiredDigest) {
            const reason = input.statusWrites.describeBlocked(desiredDigest);
            if (reason !== undefined) state.status = { ...state.status, blocked: reason };
            return reason;
          },
        },
        describeConflict(children) {
          const conflict = input.describeConflict(children);
          if (conflict !== undefined) state.conflict = conflict as unknown as JsonObject;
          return conflict;
        },
      };
    },
    noteOutside: reads.noteOutside,
    plan(steps, requeueAfter) {
      const auditIds = new Map(steps.filter(({ step }) => WRITES.has(step)).map((step) => [step, run.nextAuditId()] as const));
      const planned = steps.map((step) => describeStep(step, auditIds.get(step), object as LiveJsonObject, run));
      record([...written(), ...planned], { requeueAfter: requeueAfter === undefined ? undefined : durationToMilliseconds(requeueAfter) });
      const retry = Object.keys(state.blocked).length === 0 ? undefined : pass.conflicts.nextRetry();
      if (retry !== undefined) run.recordDrop("backing off", Math.round(clock.now() + retry));
      return auditIds;
    },
    end({ requeueAfter }) {
      record(written(), { requeueAfter: requeueAfter === undefined ? undefined : durationToMilliseconds(requeueAfter) });
    },
    fail(error) {
      // It may have thrown before it returned a promise.
      endCall();
      record(written(), { error: formatErrorChain(error) });
    },
  };
}

function describeState({ unserved, blocked, conflict, settled, status }: ObservedState): PlanState | undefined {
  const hasBlocked = Object.keys(blocked).length > 0;
  const hasSettled = Object.keys(settled).length > 0;
  if (unserved.size === 0 && !hasBlocked && conflict === undefined && !hasSettled && status === undefined) return undefined;
  return {
    unserved: unserved.size === 0 ? undefined : [...unserved],
    blocked: hasBlocked ? blocked : undefined,
    conflict,
    settled: hasSettled ? settled : undefined,
    status,
  };
}

function describeStep(step: PlanStep, request: string | undefined, object: LiveJsonObject, run: RecordedRun): PlannedStep {
  const { kind, namespace, name, reason } = step;
  const target = { step: step.step, kind: kind.kind, namespace, name, reason, request };
  if (step.step === "apply") return { ...target, ...describeApply(step, run) };
  if (step.step === "status") return { ...target, ...describeStatus(step, object, run) };
  return target;
}

/** The fields that differ from the live object, or the whole body of a new one, without secrets. */
function describeApply({ kind, body, live, desiredDigest }: ApplyStep, { recorder }: RecordedRun): Partial<PlannedStep> {
  recorder.learn(kind, body);
  const fields = sensitiveFieldsOfKind(kind);
  const redacted = recorder.redactor.redactObject(body, fields);
  // A digest of secrets could be compared with guesses.
  const comparable = redacted === body ? { digest: desiredDigest } : {};
  if (live === undefined) return { ...comparable, body: redacted };
  const changes = listDifferences(redacted, recorder.redactor.redactObject(live, fields), kind.shape);
  return { ...comparable, changes: changes.length === 0 ? undefined : changes };
}

function describeStatus({ kind, status }: StatusStep, object: LiveJsonObject, { recorder }: RecordedRun): Partial<PlannedStep> {
  const fields = sensitiveFieldsOfKind(kind)?.fields?.["status"];
  const { redactValue } = recorder.redactor;
  const redacted = redactValue(status, fields) as JsonObject;
  const changes = listDifferences({ status: redacted }, { status: redactValue(object["status"], fields) } as JsonObject, kind.shape);
  return { ...(redacted === status ? { digest: digest(status) } : {}), changes: changes.length === 0 ? undefined : changes };
}

/** Whether something is applied that cannot be compared. */
function isIncomparable({ step, digest: found }: PlannedStep): boolean {
  return (step === "apply" || step === "status") && found === undefined;
}
