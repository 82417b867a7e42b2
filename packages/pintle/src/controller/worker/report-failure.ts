import { createWriteThroughVerbs } from "../../cache/index.ts";
import { executeStatus } from "../apply/execute-plan.ts";
import { createPlanClient } from "../apply/plan-client.ts";
import type { AnyDesiredState } from "../declare/desired-state.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import { buildFailureStatus } from "../plan/failure-status.ts";
import { planStatus } from "../plan/plan.ts";
import { formatRfc3339 } from "../plan/status.ts";
import type { Failure } from "./failure.ts";
import { describeConflict, type PassDeps } from "./reconcile-once.ts";

/**
 * Writes a failure into the conditions of its object, unless it is there already. Status fields that `reconcile` returned before the failure are
 * written too. Never rejects: the failure itself is what the log and the retry are about.
 */
export async function reportFailure(pass: PassDeps, object: LiveJsonObject, failure: Failure, stop: AbortSignal): Promise<void> {
  const { controller, deps, ownWrites, progress, log } = pass;
  // The author's conditions describe a state that was not reached; those returned together with `failure` have been written by the plan.
  const want: AnyDesiredState = progress.desired?.status === undefined ? {} : { status: progress.desired.status };
  const status = buildFailureStatus(
    controller,
    withReady(want, progress.desired),
    object,
    failure,
    formatRfc3339(deps.clock.now()),
    describeConflict(pass),
  );
  const [step] = status === undefined ? [] : planStatus(controller, object, status);
  if (step === undefined) return;
  const observer = {
    onWrite: (written: LiveJsonObject) => ownWrites.recordWrite(written as never),
    onDelete: () => {},
  };
  const binding = { signal: stop, fieldManager: controller.name, writeGate: deps.writeGate };
  try {
    const client = createPlanClient(deps.client, createWriteThroughVerbs(deps.cache, undefined, observer as never), binding);
    await executeStatus(step, { client, fieldManager: controller.name });
  } catch (error) {
    log.debug("Failure not reported in the status", { error });
  }
}

/** Keeps the `Ready` condition of the author if it is not True: its reason is more specific. */
function withReady(want: AnyDesiredState, desired: AnyDesiredState | undefined): AnyDesiredState {
  const ready = (desired?.conditions as AnyDesiredState["conditions"] | undefined)?.["Ready"];
  return ready === undefined || ready.status === true ? want : { ...want, conditions: { Ready: ready } };
}
