import type { StoredObject } from "../../cache/index.ts";
import { createWriteThroughClient, createWriteThroughVerbs, type WriteCall, type WriteObserver } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import { memoize } from "../../memoize/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import type { RecordedRun } from "../../recorder/index.ts";
import { deleteCrossNamespaceChildren } from "../apply/cross-namespace-children.ts";
import { executePlan, statusFieldManager } from "../apply/execute-plan.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "../apply/finalizer.ts";
import { createPlanClient } from "../apply/plan-client.ts";
import type { Controller } from "../declare/controller.ts";
import { type AnyDesiredState, type AnyPendingFinalization, type ConditionValue, unwrapDesiredState } from "../declare/desired-state.ts";
import type { Duration } from "../declare/duration.ts";
import type { ControllerDeps } from "../deps.ts";
import type { Logger } from "../logger.ts";
import { formatObject, PAUSED_ANNOTATION } from "../names.ts";
import { contestOf } from "../plan/contest.ts";
import type { LiveJsonObject, SettledSnapshot } from "../plan/decide.ts";
import type { DesiredDigests } from "../plan/desired-digests.ts";
import { reportsFailure } from "../plan/failure-status.ts";
import {
  type ApplyStep,
  deferStatus,
  isPlanSettled,
  type Plan,
  type PlanInput,
  plan,
  type StatusStep,
  type WriteStep,
} from "../plan/plan.ts";
import { isStatusSettled } from "../plan/status.ts";
import { type EventSources, getLive, isKindServed, listChildren } from "../sources/event-sources.ts";
import type { OwnersInDoubt } from "../sources/owners-in-doubt.ts";
import { type ClientBinding, createBoundClient } from "./bound-client.ts";
import type { ConflictReporter } from "./conflict-reporters.ts";
import type { Daemons } from "./daemons.ts";
import { describeFailure, type Failure } from "./failure.ts";
import {
  type DesiredPart,
  type FieldConflict,
  findCreator,
  findFieldConflict,
  formatConflict,
  type ObjectConflicts,
} from "./field-conflicts.ts";
import type { CallSite, LastCall } from "./last-call.ts";
import type { OwnWrites } from "./own-write-filter.ts";
import { createPassReads, type PassReads } from "./pass-reads.ts";
import type { RecentDeletes } from "./recent-deletes.ts";
import { createReconcileContext } from "./reconcile-context.ts";
import { createRecordEvent } from "./record-event.ts";
import { createPlanRecord, type PlanRecord } from "./record-plan.ts";
import type { WorkSignal } from "./timeout.ts";

/** The result of one reconcile pass. */
export interface PassResult {
  /** Whether the pass changed an object: another pass may have more to do. */
  readonly hasWritten: boolean;
  readonly plan?: Plan | undefined;
  readonly requeueAfter?: Duration | undefined;
  readonly priority?: number | undefined;
}

/** What the passes of one reconciliation share. */
export interface PassDeps {
  /** The key of the object in the work queue. */
  readonly key: string;
  readonly controller: Controller;
  readonly deps: ControllerDeps;
  readonly sources: EventSources;
  readonly settledSnapshots: Map<string, SettledSnapshot>;
  readonly ownersInDoubt: OwnersInDoubt;
  readonly ownWrites: OwnWrites;
  readonly log: Logger;
  readonly daemons: Daemons;
  readonly desiredDigests: DesiredDigests;
  /** The children and the status that other writers keep changing. */
  readonly conflicts: ObjectConflicts;
  readonly conflictReporter: ConflictReporter;
  /** The deletes of the controllers of this process. */
  readonly recentDeletes: RecentDeletes;
  /** The digests of statuses that were applied beside fields of other writers, by key. */
  readonly appliedStatuses: Map<string, string>;
  /** Default: the run is not recorded. */
  readonly run?: RecordedRun | undefined;
  /** The reasons of the reconciliation so far. */
  readonly reasons: () => readonly EnqueueReason[];
  /** Reads the object from the cache. Events up to now count as handled by this pass. */
  readonly refresh: () => LiveJsonObject | undefined;
  /** Called when the API server stores fields differently than they were applied. */
  readonly onServerRewrite: (step: ApplyStep, paths: readonly string[]) => void;
  /** Whether another pass follows if this one writes. */
  readonly canRepeat: () => boolean;
  /** The number of the current pass, from 1. */
  readonly pass: () => number;
  /** Called before a plan is made. Default: nothing is done. */
  readonly onDecide?: (() => void) | undefined;
  /** How far the current pass came, for the report of a failure. */
  readonly progress: PassProgress;
}

/** How far a pass came. */
export interface PassProgress {
  phase: Failure["phase"];
  /** What `reconcile` returned, once it has. */
  desired: AnyDesiredState | undefined;
  /** The last call of `client` in `reconcile` or `finalize`. */
  lastCall: LastCall | undefined;
  /** What `reconcile` or `finalize` has written with `client`. */
  written: WriteStep[];
}

/** The writes of one pass: every client of the pass reports to `observer`. */
interface PassWrites {
  readonly observer: WriteObserver;
  readonly signal: WorkSignal;
  readonly binding: Omit<ClientBinding, "signal">;
  /** Records what the pass reads and decides. Default: nothing is recorded. */
  readonly record?: PlanRecord | undefined;
  /** Whether a write of the pass changed an object. */
  hasChanged: boolean;
}

/** How soon terminating cross-namespace children are checked again. */
const CROSS_NAMESPACE_RETRY_MS = 1_000;

/** One reconcile pass: reconcile, plan, execute the plan; or finalize, for a terminating object. */
export async function reconcileOnce(pass: PassDeps, current: LiveJsonObject, signal: WorkSignal): Promise<PassResult> {
  if (pass.run === undefined) return executePass(pass, current, trackWrites(pass, signal));
  const reads = createPassReads(pass.run);
  const record = createPlanRecord(pass, pass.run, reads);
  const writes = { ...trackWrites(pass, signal), record };
  try {
    const result = await executePass(pass, current, writes, reads);
    record.end(result);
    return result;
  } catch (error) {
    record.fail(error);
    throw error;
  }
}

async function executePass(pass: PassDeps, current: LiveJsonObject, writes: PassWrites, reads?: PassReads): Promise<PassResult> {
  const { controller, deps, daemons } = pass;
  const { signal } = writes;
  const getClient = memoize(() => {
    const binding = { ...writes.binding, signal: signal.signal, onCall: trackCall.bind(undefined, pass), reads };
    return createBoundClient(createWriteThroughClient(deps.client, deps.cache, undefined, writes.observer), binding);
  });
  const createContext = (object: LiveJsonObject) =>
    createReconcileContext({
      controller,
      sources: pass.sources,
      object: object as unknown as StoredObject,
      workSignal: signal,
      log: pass.log,
      event: createRecordEvent(controller, deps, object, pass.run),
      reasons: pass.reasons(),
      client: getClient,
      clock: deps.clock,
      assertLeading: deps.writeGate,
      reads,
    });

  let object = current;
  pass.progress.desired = undefined;
  pass.progress.lastCall = undefined;
  pass.progress.written = [];
  pass.progress.phase = object.metadata.deletionTimestamp === undefined ? "reconcile" : "finalize";
  if (object.metadata.deletionTimestamp !== undefined) return finalizeObject(pass, object, createContext, getClient, writes);
  if (object.metadata.annotations?.[PAUSED_ANNOTATION] === "true") {
    await daemons.stopFor(object.metadata.uid);
    pass.run?.recordDrop("paused");
    return { hasWritten: false };
  }
  if (controller.finalizer !== undefined && !hasFinalizer(controller, object)) {
    const patched = await addFinalizer(getClient(), controller, object);
    object = pass.refresh() ?? patched;
    writes.hasChanged = false;
    pass.progress.written = [];
  }
  daemons.ensureRunning(object);
  const { record } = writes;
  record?.begin(object);
  const called = controller.reconcile(createContext(object));
  const returned = unwrapDesiredState(await (record === undefined ? called : (record.time(called) as typeof called)));
  signal.throwIfAborted();
  const written = pass.progress.written;
  if (returned === undefined && !reportsFailure(object, controller.name)) {
    if (written.length > 0) deps.observer.onPlan?.(controller.name, written, object.metadata);
    return { hasWritten: writes.hasChanged, plan: written };
  }
  const desired = returned ?? {};
  pass.progress.desired = desired;
  const steps = await planAndExecute(pass, object, desired, writes);
  const { requeueAfter, priority, failure } = desired;
  const hasWritten = writes.hasChanged || !isPlanSettled(steps);
  if (failure !== undefined && !hasWritten) throw failure;
  return { hasWritten, plan: [...written, ...steps], requeueAfter, priority };
}

function trackWrites({ controller, deps, ownWrites, progress, run, recentDeletes }: PassDeps, signal: WorkSignal): PassWrites {
  /** Writes of the plan are steps already. */
  const record = ({ verb, kind, name, namespace }: WriteCall) => {
    if (progress.desired === undefined)
      progress.written.push({ step: "write", verb, kind, name, namespace, reason: `by ${progress.phase}` });
  };
  const writes: PassWrites = {
    hasChanged: false,
    signal,
    binding: { fieldManager: controller.name, writeGate: deps.writeGate, run },
    observer: {
      onWrite(object, isChange, call) {
        ownWrites.recordWrite(object);
        // Finalizers or a grace period retain it.
        if (call.verb === "delete") recentDeletes.record(object.metadata.uid, controller.name);
        writes.hasChanged ||= isChange;
        if (isChange || !call.isWatched) record(call);
      },
      onDelete(uid, call) {
        ownWrites.recordDelete(uid);
        recentDeletes.record(uid, controller.name);
        writes.hasChanged = true;
        record(call);
      },
    },
  };
  return writes;
}

/** Records a call of `client`; the returned function records its end. */
function trackCall({ progress, deps: { clock } }: PassDeps, description: string, site: CallSite): () => void {
  const call: LastCall = { description, site, startedAt: clock.monotonic(), endedAt: undefined };
  progress.lastCall = call;
  return () => {
    call.endedAt = clock.monotonic();
  };
}

/** Returns the `Conflict` condition that the controller writes, also for others; `undefined` without a conflict. */
export function reportConflict(pass: Pick<PassDeps, "key" | "controller" | "conflicts" | "conflictReporter">): ConditionValue | undefined {
  return pass.conflicts.condition ?? pass.conflictReporter.report(pass.key, describeConflict(pass));
}

/** Describes the conflicts of the controller as a condition; `undefined` without a conflict. */
export function describeConflict({ controller, conflicts }: Pick<PassDeps, "controller" | "conflicts">): ConditionValue | undefined {
  const found = conflicts.list();
  if (found.length === 0) return undefined;
  const isEach = (action: FieldConflict["action"]) => found.every((conflict) => conflict.action === action);
  const verb = isEach("deleting") ? "creates" : isEach("creating") ? "prunes" : "sets";
  const conflicting = found.map(formatConflict).join("; ");
  const message = `${controller.name}: conflict: ${conflicting}, which this controller ${verb} as field manager ${JSON.stringify(controller.name)}`;
  const isAboutFields = found.some(({ action }) => action === "changing");
  return { status: true, reason: isAboutFields ? "FieldsContested" : "ChildrenContested", message };
}

/** Plans and executes; returns the executed plan. */
async function planAndExecute(pass: PassDeps, object: LiveJsonObject, want: AnyDesiredState, writes: PassWrites): Promise<Plan> {
  const { controller, deps, sources, settledSnapshots, desiredDigests, conflicts, appliedStatuses, onServerRewrite } = pass;
  const failure = want.failure === undefined ? undefined : describeFailure(controller, want.failure, pass.progress.phase, "returned");
  pass.onDecide?.();
  const input: PlanInput = {
    controller,
    object,
    want: failure === undefined ? want : { ...want, conditions: { ...failure.conditions, ...want.conditions } },
    getLive: (kind, at) => getLive(sources, kind, at),
    isServed: (kind) => kind.optional !== true || isKindServed(sources, kind),
    listOwned: (kind) => listChildren(sources, kind, object as unknown as StoredObject),
    settledSnapshots,
    desiredDigests,
    describeBlocked: conflicts.describeBlocked,
    statusWrites: {
      isContested: conflicts.status.isContested,
      appliedDigest: appliedStatuses.get(pass.key),
      describeBlocked: conflicts.status.describeBlocked,
      recordUnchanged: conflicts.status.recordUnchanged,
    },
    describeConflict(children) {
      conflicts.recordPlan(children);
      return reportConflict(pass);
    },
    failure,
    now: deps.clock.now(),
    defersStatus: pass.canRepeat(),
  };
  const { record } = writes;
  const all = plan(record === undefined ? input : record.observe(input));
  const binding = { ...writes.binding, getSignal: () => writes.signal.awaitedSignal };
  const client = createPlanClient(deps.client, createWriteThroughVerbs(deps.cache, undefined, writes.observer), binding);
  const isCreating = all.some((step) => step.step === "apply" && step.live === undefined);
  if (isCreating && pass.ownersInDoubt.has(object.metadata.uid)) {
    if (await isGone(client, controller, object)) {
      record?.noteOutside("a live read: the object was deleted");
      return [];
    }
    pass.ownersInDoubt.settle(object.metadata.uid);
  }
  const steps = pass.canRepeat() ? deferStatus(all) : all;
  deps.observer.onPlan?.(controller.name, [...pass.progress.written, ...steps], object.metadata);
  const auditIds = record?.plan(steps, want.requeueAfter);
  await executePlan(steps, {
    fieldManager: controller.name,
    ownerUid: object.metadata.uid,
    settledSnapshots,
    onServerRewrite,
    client,
    auditIdOf: auditIds && ((step) => auditIds.get(step)),
    onRepair: (step) =>
      conflicts.recordRepair(formatObject(step.kind, step), step.desiredDigest, () =>
        describeFieldConflict(client, { ...step, fieldManager: controller.name }),
      ),
    async onCreate(step) {
      const child = formatObject(step.kind, step);
      const deleted = conflicts.findDeleted(child);
      conflicts.recordCreate(child);
      const deleter = deleted && pass.recentDeletes.find(deleted);
      if (deleted === undefined || deleter === controller.name) return;
      const managers = deleter === undefined ? [] : [deleter];
      await conflicts.recordRepair(contestOf("deletion", child), "", async () => ({ action: "deleting", child, managers, fields: [] }));
    },
    onPrune: ({ kind, name, namespace }) =>
      conflicts.recordRepair(contestOf("creation", formatObject(kind, { name, namespace })), "", async () => {
        const live = (await client.find(kind, { name, namespace } as never)) as unknown as LiveJsonObject | undefined;
        return findCreator(kind, live ?? ({ metadata: { name, namespace } } as never), controller.name);
      }),
    async onStatus({ desiredDigest, status, part, kind, name, namespace }) {
      if (desiredDigest === undefined) return;
      const fieldManager = statusFieldManager(controller.name, part);
      await conflicts.status.recordWrite(desiredDigest, () =>
        describeFieldConflict(client, { kind, name, namespace, body: { status }, subresource: "status", fieldManager }),
      );
    },
    onStatusApplied: (step, response) => recordAppliedStatus(pass, step, response),
    toCachedObject(step, response) {
      const live = getLive(sources, step.kind, step);
      return live?.metadata.resourceVersion === response.metadata.resourceVersion ? live : response;
    },
  });
  return steps;
}

/** Reads a primary object live: whether it is deleted or terminating. The event that says so follows, and reconciles what is left. */
async function isGone(client: Pick<Client, "find">, { kind }: Controller, { metadata }: LiveJsonObject): Promise<boolean> {
  const { name, namespace, uid } = metadata;
  const live = (await client.find(kind, { name, namespace } as never)) as LiveJsonObject | undefined;
  return live?.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined;
}

async function describeFieldConflict(client: Pick<Client, "find">, part: DesiredPart): Promise<FieldConflict> {
  const live = (await client.find(part.kind, { name: part.name, namespace: part.namespace } as never)) as LiveJsonObject | undefined;
  return findFieldConflict(part, live);
}

/** Remembers the status that was applied if other writers have fields beside it: the comparison with the live status cannot tell then. */
export function recordAppliedStatus(
  { controller, key, appliedStatuses }: Pick<PassDeps, "controller" | "key" | "appliedStatuses">,
  { desiredDigest, status }: StatusStep,
  response: LiveJsonObject | undefined,
): void {
  if (desiredDigest === undefined || response === undefined || isStatusSettled(controller, status, response)) appliedStatuses.delete(key);
  else appliedStatuses.set(key, desiredDigest);
}

/** Finalizes a terminating object: stops its daemons, calls `finalize`, deletes cross-namespace children, then removes the finalizer. */
async function finalizeObject(
  pass: PassDeps,
  object: LiveJsonObject,
  createContext: (object: LiveJsonObject) => object,
  getClient: () => Client,
  writes: PassWrites,
): Promise<PassResult> {
  const { controller, log } = pass;
  const areStopped = await pass.daemons.stopFor(object.metadata.uid);
  if (!hasFinalizer(controller, object)) return { hasWritten: false };
  if (!areStopped)
    log.warn("Daemons did not stop within the grace period, finalizing without them", { grace: controller.daemonGrace / 1000 });
  const { record } = writes;
  record?.begin(object);
  const called = controller.finalize?.(createContext(object));
  const pending = (await (record === undefined ? called : record.time(called))) as AnyPendingFinalization | undefined;
  writes.signal.throwIfAborted();
  if (pending?.requeueAfter !== undefined) {
    const { requeueAfter, status, conditions } = pending;
    const desired = { status, conditions } as AnyDesiredState;
    pass.progress.desired = desired;
    const steps = await planAndExecute(pass, object, desired, writes);
    return { hasWritten: false, plan: [...pass.progress.written, ...steps], requeueAfter };
  }
  if (!(await deleteCrossNamespaceChildren(getClient(), controller, object)))
    return { hasWritten: false, plan: pass.progress.written, requeueAfter: CROSS_NAMESPACE_RETRY_MS };
  const plan = [...pass.progress.written];
  if (plan.length > 0) pass.deps.observer.onPlan?.(controller.name, plan, object.metadata);
  const latest = pass.refresh() ?? object;
  if (latest.metadata.uid === object.metadata.uid) await removeFinalizer(getClient(), controller, latest);
  log.info("Finalized");
  return { hasWritten: false, plan };
}
