import type { WorkOutcome } from "../../queue/index.ts";
import { durationToMilliseconds, formatDuration } from "../declare/duration.ts";
import { formatObject, parseKey } from "../names.ts";
import type { Plan } from "../plan/plan.ts";
import { describeLastCall } from "./last-call.ts";
import { createOscillationError } from "./oscillation.ts";
import type { PassGate } from "./pass-gate.ts";
import { type PassDeps, reconcileOnce } from "./reconcile-once.ts";
import { type TimeoutOptions, type WorkSignal, withTimeout } from "./timeout.ts";

/** A controller that writes in this many consecutive passes oscillates. */
export const MAX_PASSES = 10;

/** One reconciliation of one key: one or more passes. */
export interface Reconciliation extends PassDeps {
  /** The plans of the passes so far. */
  readonly plans: Plan[];
  /** The number of the current pass. */
  passes: number;
  /** Whether the workers are stopping: no other pass starts. */
  readonly isStopping: () => boolean;
  /** Holds passes back after one that blocked the event loop. */
  readonly passGate: PassGate;
}

/**
 * Repeats `reconcileOnce` until a pass writes nothing. Own writes are in the cache from their response on, so each pass reads everything the
 * pass before wrote. Throws `Oscillation` after `MAX_PASSES` passes.
 */
export async function reconcileUntilSettled(reconciliation: Reconciliation, stop: AbortSignal): Promise<WorkOutcome> {
  const { controller, deps, key, plans, passGate, isStopping } = reconciliation;
  const describeProgress = () => describeLastCall(reconciliation.progress.lastCall, deps.clock);
  const timeoutOptions: TimeoutOptions = {
    clock: deps.clock,
    timeout: controller.timeout,
    stop,
    describeProgress,
    onTimeout: () => deps.observer.onTimeout?.(controller.name),
    onSlow(elapsed) {
      const { phase } = reconciliation.progress;
      const limit = controller.timeout === undefined ? {} : { timeout: formatDuration(controller.timeout) };
      reconciliation.log.warn(`Still running ${phase}`, { duration: formatDuration(elapsed), ...limit, progress: describeProgress() });
    },
  };
  const runPass = async <T>(work: (signal: WorkSignal) => Promise<T>): Promise<T> => {
    const startedAt = deps.clock.monotonic();
    try {
      const pass = withTimeout(timeoutOptions, work);
      passGate.recordPass(startedAt);
      return await pass;
    } finally {
      passGate.recordPass(startedAt);
    }
  };
  for (reconciliation.passes = 1; reconciliation.passes <= MAX_PASSES; reconciliation.passes++) {
    const turn = passGate.wait();
    if (turn !== undefined) await turn;
    // The next process, or this one when it leads again, continues here.
    if (isStopping()) return { type: "requeue", after: 0 };
    stop.throwIfAborted();
    const object = reconciliation.refresh();
    if (object === undefined) return { type: "done" };
    const { hasWritten, plan, requeueAfter, priority } = await runPass((signal) => reconcileOnce(reconciliation, object, signal));
    if (plan !== undefined) plans.push(plan);
    if (hasWritten && isStopping()) return { type: "requeue", after: 0 };
    if (hasWritten) continue;
    const delays = [requeueAfter === undefined ? undefined : durationToMilliseconds(requeueAfter), reconciliation.conflicts.nextRetry()];
    const known = delays.filter((delay) => delay !== undefined);
    return known.length === 0 ? { type: "done" } : { type: "requeue", after: Math.min(...known), priority };
  }
  throw createOscillationError(formatObject(controller.kind, parseKey(key)), plans.at(-2), plans.at(-1), MAX_PASSES);
}
