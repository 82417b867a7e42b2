import type { StoredObject } from "../../cache/index.ts";
import { createWriteThroughClient, createWriteThroughVerbs, type WriteObserver } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import { memoize } from "../../memoize/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import { deleteCrossNamespaceChildren } from "../apply/cross-namespace-children.ts";
import { executePlan } from "../apply/execute-plan.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "../apply/finalizer.ts";
import { createPlanClient } from "../apply/plan-client.ts";
import type { Controller } from "../declare/controller.ts";
import { type AnyDesiredState, type AnyPendingFinalization, type ConditionValue, unwrapDesiredState } from "../declare/desired-state.ts";
import type { Duration } from "../declare/duration.ts";
import type { ControllerDeps } from "../deps.ts";
import type { Logger } from "../logger.ts";
import { formatObject, PAUSED_ANNOTATION } from "../names.ts";
import type { LiveJsonObject, SettledSnapshot } from "../plan/decide.ts";
import type { DesiredDigests } from "../plan/desired-digests.ts";
import { reportsFailure } from "../plan/failure-status.ts";
import { type ApplyStep, deferStatus, isPlanSettled, type Plan, plan } from "../plan/plan.ts";
import { type EventSources, getLive, isKindServed, listChildren } from "../sources/event-sources.ts";
import { type ClientBinding, createBoundClient } from "./bound-client.ts";
import type { Daemons } from "./daemons.ts";
import { describeFailure, type Failure } from "./failure.ts";
import { findFieldConflict, formatConflict, type ObjectConflicts } from "./field-conflicts.ts";
import type { CallSite, LastCall } from "./last-call.ts";
import type { OwnWrites } from "./own-write-filter.ts";
import { createReconcileContext } from "./reconcile-context.ts";
import { createRecordEvent } from "./record-event.ts";

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
  readonly controller: Controller;
  readonly deps: ControllerDeps;
  readonly sources: EventSources;
  readonly settledSnapshots: Map<string, SettledSnapshot>;
  readonly ownWrites: OwnWrites;
  readonly log: Logger;
  readonly daemons: Daemons;
  readonly desiredDigests: DesiredDigests;
  /** The children that other writers keep changing. */
  readonly conflicts: ObjectConflicts;
  /** The reasons of the reconciliation so far. */
  readonly reasons: () => readonly EnqueueReason[];
  /** Reads the object from the cache. Events up to now count as handled by this pass. */
  readonly refresh: () => LiveJsonObject | undefined;
  /** Called when the API server stores fields differently than they were applied. */
  readonly onServerRewrite: (step: ApplyStep, paths: readonly string[]) => void;
  /** Whether another pass follows if this one writes. */
  readonly canRepeat: () => boolean;
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
}

/** The writes of one pass: every client of the pass reports to `observer`. */
interface PassWrites {
  readonly observer: WriteObserver;
  readonly binding: ClientBinding;
  /** Whether a write of the pass changed an object. */
  hasChanged: boolean;
}

/** How soon terminating cross-namespace children are checked again. */
const CROSS_NAMESPACE_RETRY_MS = 1_000;

/** One reconcile pass: reconcile, plan, execute the plan; or finalize, for a terminating object. */
export async function reconcileOnce(pass: PassDeps, current: LiveJsonObject, signal: AbortSignal): Promise<PassResult> {
  const { controller, deps, daemons } = pass;
  const writes = trackWrites(pass, signal);
  const getClient = memoize(() => {
    const binding = { ...writes.binding, onCall: trackCall.bind(undefined, pass) };
    return createBoundClient(createWriteThroughClient(deps.client, deps.cache, undefined, writes.observer), binding);
  });
  const createContext = (object: LiveJsonObject) =>
    createReconcileContext({
      controller,
      sources: pass.sources,
      object: object as unknown as StoredObject,
      signal,
      log: pass.log,
      event: createRecordEvent(controller, deps, object),
      reasons: pass.reasons(),
      client: getClient,
      clock: deps.clock,
    });

  let object = current;
  pass.progress.desired = undefined;
  pass.progress.lastCall = undefined;
  pass.progress.phase = object.metadata.deletionTimestamp === undefined ? "reconcile" : "finalize";
  if (object.metadata.deletionTimestamp !== undefined) return finalizeObject(pass, object, createContext, getClient, writes);
  if (object.metadata.annotations?.[PAUSED_ANNOTATION] === "true") {
    await daemons.stopFor(object.metadata.uid);
    return { hasWritten: false };
  }
  if (controller.finalizer !== undefined && !hasFinalizer(controller, object)) {
    const patched = await addFinalizer(getClient(), controller, object);
    object = pass.refresh() ?? patched;
    writes.hasChanged = false;
  }
  daemons.ensureRunning(object);
  const returned = unwrapDesiredState(await controller.reconcile(createContext(object)));
  signal.throwIfAborted();
  if (returned === undefined && !reportsFailure(object, controller.name)) return { hasWritten: writes.hasChanged };
  const desired = returned ?? {};
  pass.progress.desired = desired;
  const steps = await planAndExecute(pass, object, desired, writes);
  const { requeueAfter, priority, failure } = desired;
  const hasWritten = writes.hasChanged || !isPlanSettled(steps);
  if (failure !== undefined && !hasWritten) throw failure;
  return { hasWritten, plan: steps, requeueAfter, priority };
}

function trackWrites({ controller, deps, ownWrites }: PassDeps, signal: AbortSignal): PassWrites {
  const writes: PassWrites = {
    hasChanged: false,
    binding: { signal, fieldManager: controller.name, writeGate: deps.writeGate },
    observer: {
      onWrite(object, isChange) {
        ownWrites.recordWrite(object);
        writes.hasChanged ||= isChange;
      },
      onDelete(uid) {
        ownWrites.recordDelete(uid);
        writes.hasChanged = true;
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

/** Returns the `Conflict` condition; `undefined` without a conflict. */
export function describeConflict({ controller, conflicts }: Pick<PassDeps, "controller" | "conflicts">): ConditionValue | undefined {
  const found = conflicts.list();
  if (found.length === 0) return undefined;
  const message = `${controller.name}: conflict: ${found.map(formatConflict).join("; ")}, which this controller sets as field manager ${JSON.stringify(controller.name)}`;
  return { status: true, reason: "FieldsContested", message };
}

/** Plans and executes; returns the executed plan. */
async function planAndExecute(pass: PassDeps, object: LiveJsonObject, want: AnyDesiredState, writes: PassWrites): Promise<Plan> {
  const { controller, deps, sources, settledSnapshots, desiredDigests, conflicts, onServerRewrite } = pass;
  const all = plan({
    controller,
    object,
    want,
    getLive: (kind, at) => getLive(sources, kind, at),
    isServed: (kind) => kind.optional !== true || isKindServed(sources, kind),
    listOwned: (kind) => listChildren(sources, kind, object as unknown as StoredObject),
    settledSnapshots,
    desiredDigests,
    describeBlocked: conflicts.describeBlocked,
    describeConflict(children) {
      conflicts.recordPlan(children);
      return describeConflict(pass);
    },
    failure:
      want.failure === undefined ? undefined : describeFailure(controller, want.failure, pass.progress.phase, Number.POSITIVE_INFINITY),
    now: deps.clock.now(),
  });
  const steps = pass.canRepeat() ? deferStatus(all) : all;
  deps.observer.onPlan?.(controller.name, steps);
  const client = createPlanClient(deps.client, createWriteThroughVerbs(deps.cache, undefined, writes.observer), writes.binding);
  await executePlan(steps, {
    fieldManager: controller.name,
    ownerUid: object.metadata.uid,
    settledSnapshots,
    onServerRewrite,
    client,
    onRepair: (step) =>
      conflicts.recordRepair(formatObject(step.kind, step), step.desiredDigest, async () => {
        const live = (await client.find(step.kind, { name: step.name, namespace: step.namespace } as never)) as LiveJsonObject | undefined;
        return findFieldConflict(step, live, controller.name);
      }),
    toCachedObject(step, response) {
      const live = getLive(sources, step.kind, step);
      return live?.metadata.resourceVersion === response.metadata.resourceVersion ? live : response;
    },
  });
  return steps;
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
  const pending = (await controller.finalize?.(createContext(object))) as AnyPendingFinalization | undefined;
  writes.binding.signal.throwIfAborted();
  if (pending?.requeueAfter !== undefined) {
    const { requeueAfter, status, conditions } = pending;
    const steps = await planAndExecute(pass, object, { status, conditions } as AnyDesiredState, writes);
    return { hasWritten: false, plan: steps, requeueAfter };
  }
  if (!(await deleteCrossNamespaceChildren(getClient(), controller, object)))
    return { hasWritten: false, requeueAfter: CROSS_NAMESPACE_RETRY_MS };
  const latest = pass.refresh() ?? object;
  if (latest.metadata.uid === object.metadata.uid) await removeFinalizer(getClient(), controller, latest);
  log.info("Finalized");
  return { hasWritten: false };
}
