import type { JsonObject } from "../../json/index.ts";
import type { Condition, KindInfo } from "../../kinds/index.ts";
import type { ConditionValue } from "../declare/desired-state.ts";

/** Returns the condition types of a resource of `defineResource`; `undefined` for other kinds. */
export function declaredConditions(kind: KindInfo): readonly string[] | undefined {
  return (kind as { readonly conditions?: readonly string[] }).conditions;
}

/** Builds a condition. `lastTransitionTime` changes only with the status; `observedGeneration` is left out if it is `undefined`. */
export function buildCondition(
  type: string,
  value: ConditionValue,
  previous: Condition | undefined,
  now: string,
  observedGeneration: number | undefined,
): JsonObject {
  const status = value.status === true ? "True" : value.status === false ? "False" : "Unknown";
  const lastTransitionTime = previous?.status === status ? previous.lastTransitionTime : now;
  const observed = observedGeneration === undefined ? {} : { observedGeneration };
  return { type, status, reason: value.reason, message: value.message ?? "", lastTransitionTime, ...observed };
}
