import { createWriteThroughVerbs } from "../../cache/index.ts";
import { executeStatus } from "../apply/execute-plan.ts";
import { createPlanClient } from "../apply/plan-client.ts";
import type { AnyDesiredState } from "../declare/desired-state.ts";
import { declaredConditions } from "../plan/conditions.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import { planStatus } from "../plan/plan.ts";
import { formatRfc3339 } from "../plan/status.ts";
import type { Failure } from "./failure.ts";
import { type PassDeps, recordAppliedStatus, reportConflict } from "./reconcile-once.ts";

/**
 * Writes a failure into the conditions of its object, unless it is there already. Status fields that `reconcile` returned before the failure are
 * written too. Never rejects: the failure itself is what the log and the retry are about.
 */
export async function reportFailure(pass: PassDeps, object: LiveJsonObject, failure: Failure, stop: AbortSignal): Promise<void> {
  const { controller, deps, ownWrites, progress, log, run } = pass;
  // Other conditions that `reconcile` returned describe a state that was not reached.
  const { conditions } = failure;
  const want: AnyDesiredState = progress.desired?.status === undefined ? { conditions } : { status: progress.desired.status, conditions };
  // The next status of a success is no repair of this one.
  pass.conflicts.status.reset();
  const step = planStatus({
    controller,
    object,
    want: withReady(want, progress.desired),
    failure,
    now: formatRfc3339(deps.clock.now()),
    conflict: reportConflict(pass),
    appliedDigest: pass.appliedStatuses.get(pass.key),
  });
  if (step === undefined) return;
  warnAboutUndeclared(pass, conditions);
  const observer = {
    onWrite: (written: LiveJsonObject) => ownWrites.recordWrite(written as never),
    onDelete: () => {},
  };
  const binding = { getSignal: () => stop, fieldManager: controller.name, writeGate: deps.writeGate, run };
  try {
    const client = createPlanClient(deps.client, createWriteThroughVerbs(deps.cache, undefined, observer as never), binding);
    recordAppliedStatus(pass, step, await executeStatus(step, { client, fieldManager: controller.name }));
  } catch (error) {
    log.debug("Failure not reported in the status", { error });
  }
}

/** Keeps the `Ready` condition of the author if it is not True: its reason is more specific. */
function withReady(want: AnyDesiredState, desired: AnyDesiredState | undefined): AnyDesiredState {
  const ready = (desired?.conditions as AnyDesiredState["conditions"] | undefined)?.["Ready"];
  return ready === undefined || ready.status === true ? want : { ...want, conditions: { Ready: ready, ...want.conditions } };
}

/** The compiler does not know the resource of a `failed()`. */
function warnAboutUndeclared({ controller, log }: Pick<PassDeps, "controller" | "log">, conditions: Failure["conditions"]): void {
  const declared = declaredConditions(controller.kind) ?? [];
  const unknown = Object.keys(conditions).filter((type) => !declared.includes(type) && type !== "Ready");
  if (unknown.length > 0)
    log.warn("Conditions of failed() are ignored: defineResource does not declare them", { conditions: unknown, declared });
}
