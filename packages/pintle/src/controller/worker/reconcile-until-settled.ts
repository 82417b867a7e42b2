import type { WorkOutcome } from "../../queue/index.ts";
import { durationToMilliseconds } from "../declare/duration.ts";
import { formatObject, parseKey } from "../names.ts";
import type { Plan } from "../plan/plan.ts";
import { createOscillationError } from "./oscillation.ts";
import { type PassDeps, reconcileOnce } from "./reconcile-once.ts";
import { withTimeout } from "./timeout.ts";

/** A controller that writes in this many consecutive passes oscillates. */
export const MAX_PASSES = 10;

/** One reconciliation of one key: one or more passes. */
export interface Reconciliation extends PassDeps {
  readonly key: string;
  /** The plans of the passes so far. */
  readonly plans: Plan[];
  /** The number of the current pass. */
  passes: number;
}

/**
 * Repeats `reconcileOnce` until a pass writes nothing. Own writes are in the cache from their response on, so each pass reads everything the
 * pass before wrote. Throws `Oscillation` after `MAX_PASSES` passes.
 */
export async function reconcileUntilSettled(reconciliation: Reconciliation, stop: AbortSignal): Promise<WorkOutcome> {
  const { controller, deps, key, plans } = reconciliation;
  const onTimeout = () => deps.observer.onTimeout?.(controller.name);
  for (reconciliation.passes = 1; reconciliation.passes <= MAX_PASSES; reconciliation.passes++) {
    stop.throwIfAborted();
    const object = reconciliation.refresh();
    if (object === undefined) return { type: "done" };
    const { hasWritten, plan, requeueAfter, priority } = await withTimeout(deps.clock, controller.timeout, stop, onTimeout, (signal) =>
      reconcileOnce(reconciliation, object, signal),
    );
    if (plan !== undefined) plans.push(plan);
    if (hasWritten) continue;
    return requeueAfter === undefined ? { type: "done" } : { type: "requeue", after: durationToMilliseconds(requeueAfter), priority };
  }
  throw createOscillationError(formatObject(controller.kind, parseKey(key)), plans.at(-2), plans.at(-1), MAX_PASSES);
}
