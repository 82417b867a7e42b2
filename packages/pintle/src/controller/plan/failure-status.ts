import { extendObject, type JsonObject } from "../../json/index.ts";
import type { Condition } from "../../kinds/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { AnyDesiredState, ConditionValue } from "../declare/desired-state.ts";
import { buildCondition, declaredConditions } from "./conditions.ts";
import type { LiveJsonObject } from "./decide.ts";

/** What the failure conditions of an object say. */
export interface FailureStatusInput {
  readonly reason: string;
  /** Names the controller: "memcached: reconcile failed: ..." or "... (reported by controller memcached)". */
  readonly message: string;
  readonly isTerminal: boolean;
}

/** How the message of a failure condition, or of `Conflict`, begins. It names the controller, so that controllers of one kind leave the failures of each other alone. */
const FAILURE_MESSAGE = /^([-A-Za-z0-9_.]{1,63}): (?:(?:reconcile|finalize) failed|conflict): /;
/** How the message of a failure that `reconcile` returned ends. */
const RETURNED_FAILURE_MESSAGE = / \(reported by controller ([-A-Za-z0-9_.]{1,63})\)$/;

/** Formats the message of a failure that `reconcile` returned: the author's text, and the controller that may remove it. */
export function formatReturnedFailure(controller: string, text: string): string {
  return `${text} (reported by controller ${controller})`;
}

/** Returns the controller that reported a failure with this condition; `undefined` for any other condition. */
export function failingController({ type, message }: Pick<Condition, "type" | "message">): string | undefined {
  if (type !== "Ready" && type !== "Stalled" && type !== "Conflict") return undefined;
  return (FAILURE_MESSAGE.exec(message ?? "") ?? RETURNED_FAILURE_MESSAGE.exec(message ?? ""))?.[1];
}

/** Returns whether the object reports a failure of an earlier reconciliation by this controller. */
export function reportsFailure(live: LiveJsonObject, controller: string): boolean {
  return conditionsOf(live).some((condition) => failingController(condition) === controller);
}

/**
 * Builds the status of an object whose reconciliation failed: `Ready` is False, and `Stalled` is True if it is not retried. `undefined` for a kind
 * without declared conditions.
 *
 * ## Guarantees
 *
 * - Conditions of the author that are not in `want` keep their value and `observedGeneration`, which shows the generation they describe.
 * - A `Ready` condition that the author returned as not True is kept, because its reason is more specific.
 * - A failure that another controller of the kind reported is kept.
 * - `status.observedGeneration` is not changed.
 */
export function buildFailureStatus(
  { kind, name: controller }: Pick<Controller, "kind" | "name">,
  want: AnyDesiredState,
  live: LiveJsonObject,
  failure: FailureStatusInput,
  now: string,
  conflict?: ConditionValue | undefined,
): JsonObject | undefined {
  const declared = declaredConditions(kind) ?? [];
  if (declared.length === 0) return undefined;
  const old = conditionsOf(live);
  const desired = (want.conditions ?? {}) as Readonly<Record<string, ConditionValue | undefined>>;
  const build = (type: string, value: ConditionValue) =>
    buildCondition(
      type,
      value,
      old.find((each) => each.type === type),
      now,
      live.metadata.generation ?? 0,
    );
  const { reason, message } = failure;
  const failureValues: Readonly<Record<string, ConditionValue | undefined>> = {
    Ready: desired["Ready"] !== undefined && desired["Ready"].status !== true ? desired["Ready"] : { status: false, reason, message },
    Stalled: failure.isTerminal ? { status: true, reason, message } : undefined,
    Conflict: conflict,
  };
  const types = [...declared, ...Object.keys(failureValues).filter((type) => !declared.includes(type))];
  const conditions = types.flatMap((type): JsonObject[] => {
    const previous = old.find((each) => each.type === type);
    const previousController = previous && failingController(previous);
    const value = failureValues[type] ?? desired[type];
    if (previousController !== undefined && previousController !== controller)
      return declared.includes(type) ? [previous as unknown as JsonObject] : [];
    if (value !== undefined) return [build(type, value)];
    return previous === undefined || previousController === controller || !declared.includes(type)
      ? []
      : [previous as unknown as JsonObject];
  });
  const { conditions: _, observedGeneration, ...rest } = (live["status"] ?? {}) as JsonObject;
  const own = (want.status as JsonObject | undefined) ?? (rest as JsonObject);
  return extendObject(extendObject(own, observedGeneration === undefined ? {} : { observedGeneration }), { conditions });
}

function conditionsOf(live: LiveJsonObject): readonly Condition[] {
  return ((live["status"] as JsonObject | undefined)?.["conditions"] ?? []) as unknown as readonly Condition[];
}
