import type { JsonObject } from "pintle/kinds";
import type { Pod, ResourceQuota } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../draft.ts";
import { getQosClass } from "../qos-class.ts";

interface ScopeRequirement {
  readonly scopeName?: string | null | undefined;
  readonly operator?: string | null | undefined;
  readonly values?: readonly string[] | null | undefined;
}

/** Returns whether the scopes of a quota match an object. A quota with scopes matches pods only. */
export function matchesQuotaScopes({ spec }: Unvalidated<ResourceQuota>, group: string, plural: string, object: JsonObject): boolean {
  const requirements: readonly ScopeRequirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (requirements.length === 0) return true;
  if (group !== "" || plural !== "pods") return false;
  return requirements.every((requirement) => matchesScope(requirement, object as Unvalidated<Pod>));
}

function matchesScope({ scopeName, operator, values }: ScopeRequirement, pod: Unvalidated<Pod>): boolean {
  const ends = pod.spec?.activeDeadlineSeconds != null;
  const bestEffort = getQosClass(pod as never) === "BestEffort";
  switch (scopeName) {
    case "Terminating":
      return ends;
    case "NotTerminating":
      return !ends;
    case "BestEffort":
      return bestEffort;
    case "NotBestEffort":
      return !bestEffort;
    case "PriorityClass":
      return matchesOperator(operator, values, pod.spec?.priorityClassName);
    default:
      return false;
  }
}

function matchesOperator(
  operator: string | null | undefined,
  values: readonly string[] | null | undefined,
  value: string | null | undefined,
): boolean {
  if (operator === "Exists") return !!value;
  if (operator === "DoesNotExist") return !value;
  const among = values?.includes(value ?? "") === true;
  return operator === "In" ? among : !among;
}
