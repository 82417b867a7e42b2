import type { Cache } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import { formatErrorChain, InternalError } from "../../errors/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import { createFlightRecorder, type PlanFact, type RecordedRun } from "../../recorder/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { ConditionValue } from "../declare/desired-state.ts";
import type { ControllerDeps } from "../deps.ts";
import { silentLogger } from "../logger.ts";
import { parseKey, toKey } from "../names.ts";
import type { LiveJsonObject, SettledSnapshot } from "../plan/decide.ts";
import { createDesiredDigests } from "../plan/desired-digests.ts";
import { openEventSources } from "../sources/event-sources.ts";
import { createRecentDeletes } from "./recent-deletes.ts";
import { type PassDeps, reconcileOnce } from "./reconcile-once.ts";
import { MAX_PASSES } from "./reconcile-until-settled.ts";
import { toWorkSignal } from "./timeout.ts";

/** What a replayed pass decided, as a recorded one. */
export type ReplayedPlan = Pick<PlanFact, "steps" | "requeueAfter" | "error" | "calls" | "outside">;

export interface ReplayPassOptions {
  /** Serves the objects that the pass read. */
  readonly cache: Cache;
  /** Answers the calls of the pass. */
  readonly client: Client;
  readonly clock: Clock;
  /** Called when `reconcile` has returned: from now on the cache serves what the plan read. */
  readonly onDecide: () => void;
}

/** Thrown to end a pass that has decided: its plan is not executed. */
const DECIDED = new InternalError("the replayed pass has decided");

/** Runs one reconcile pass on what a recorded one was given, up to its plan. Sends nothing, and never rejects. */
export async function replayPass(
  controller: Controller,
  recorded: PlanFact,
  { cache, client, clock, onDecide }: ReplayPassOptions,
): Promise<ReplayedPlan> {
  const deps = createReplayDeps(controller, cache, client, clock);
  const sources = openEventSources(controller, deps);
  const { namespace, name } = recorded.object;
  const key = toKey({ namespace, name });
  const current = sources.primary.get(parseKey(key)) as LiveJsonObject;
  let plan: ReplayedPlan | undefined;
  const run = createReplayRun((decided) => {
    plan = decided;
    throw DECIDED;
  });
  const { blocked = {}, conflict, settled = {}, status = {} } = recorded.state ?? {};
  const settledSnapshots = new Map<string, SettledSnapshot>();
  for (const [uid, desiredDigest] of Object.entries(settled)) {
    const object = [...sources.owned.values()].flatMap(({ view }) => view.list()).find(({ metadata }) => metadata.uid === uid);
    if (object !== undefined) settledSnapshots.set(uid, { desiredDigest, object });
  }
  const pass: PassDeps = {
    key,
    appliedStatuses: new Map(status.applied === undefined ? [] : [[key, status.applied]]),
    ownersInDoubt: { recordDeletedChild() {}, has: () => false, settle() {} },
    controller,
    deps,
    sources,
    settledSnapshots,
    ownWrites: { recordWrite() {}, recordDelete() {}, takeReasons: () => [], finish() {} },
    log: silentLogger,
    daemons: { ensureRunning() {}, stopFor: async () => true, stopAll: async () => {} },
    desiredDigests: createDesiredDigests(),
    conflicts: {
      describeBlocked: (child) => (Object.hasOwn(blocked, child) ? blocked[child] : undefined),
      recordRepair: async () => {},
      findDeleted: () => undefined,
      recordCreate() {},
      recordPlan() {},
      status: {
        isContested: status.contested === true,
        describeBlocked: () => status.blocked,
        recordWrite: async () => {},
        recordUnchanged() {},
        reset() {},
      },
      list: () => [],
      nextRetry: () => undefined,
      condition: conflict as unknown as ConditionValue | undefined,
    },
    conflictReporter: { report: (_, conflict) => conflict },
    recentDeletes: createRecentDeletes(),
    run,
    reasons: () => (recorded.reasons ?? []) as unknown as readonly EnqueueReason[],
    refresh: () => current,
    onServerRewrite() {},
    onDecide,
    canRepeat: () => recorded.pass < MAX_PASSES,
    pass: () => recorded.pass,
    progress: { phase: recorded.phase, desired: undefined, lastCall: undefined, written: [] },
  };
  try {
    await reconcileOnce(pass, current, toWorkSignal(new AbortController().signal));
  } catch (error) {
    if (plan === undefined) return { steps: [], error: formatErrorChain(error) };
  }
  return plan ?? { steps: [] };
}

function createReplayDeps(controller: Controller, cache: Cache, client: Client, clock: Clock): ControllerDeps {
  return {
    client,
    cache,
    clock,
    random: () => 0,
    logger: silentLogger,
    recorder: { recordEvent() {} },
    reportFailures: false,
    observer: {},
    concurrency: 1,
    writeGate() {},
    trace: (_name, _options, work) => work(undefined),
    unfilteredKinds: new Set([
      controller.kind.id,
      ...controller.owns.map(({ id }) => id),
      ...Object.values(controller.watches).map(({ kind }) => kind.id),
    ]),
  };
}

/** A run that reports its plan, and records nothing else. */
function createReplayRun(onPlan: (plan: ReplayedPlan) => void): RecordedRun {
  const recorder = createFlightRecorder({ maxBytes: 0 });
  return {
    id: "replay-1",
    recorder,
    causes: [],
    absorb() {},
    nextAuditId: () => "replay-1.1",
    beginRequest: () => ({ id: "replay-1.1", end() {} }),
    recordPlan: ({ steps, requeueAfter, error, calls, outside }) => onPlan({ steps, requeueAfter, error, calls, outside }),
    recordDrop() {},
    addReconcileTime() {},
    setTrace() {},
    recordCommit() {},
    end() {},
  };
}
