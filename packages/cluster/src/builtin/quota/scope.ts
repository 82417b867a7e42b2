import type { JsonObject } from "pintle/kinds";
import type { Pod, ResourceQuota } from "pintle/kinds/core/v1";
import { qosClass } from "../core/qos-class.ts";
import type { Loose } from "../draft.ts";

interface Requirement {
  readonly scopeName?: string | null | undefined;
  readonly operator?: string | null | undefined;
  readonly values?: readonly string[] | null | undefined;
}

/** Whether a quota speaks of this object: one with scopes only of the pods in them. */
export function quotaScope({ spec }: Loose<ResourceQuota>, group: string, plural: string, object: JsonObject): boolean {
  const wanted: readonly Requirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (wanted.length === 0) return true;
  if (group !== "" || plural !== "pods") return false;
  return wanted.every((requirement) => isIn(requirement, object as Loose<Pod>));
}

function isIn({ scopeName, operator, values }: Requirement, pod: Loose<Pod>): boolean {
  const ends = pod.spec?.activeDeadlineSeconds != null;
  const bestEffort = qosClass(pod as never) === "BestEffort";
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
      return holds(operator, values, pod.spec?.priorityClassName);
    default:
      return false;
  }
}

function holds(
  operator: string | null | undefined,
  values: readonly string[] | null | undefined,
  value: string | null | undefined,
): boolean {
  if (operator === "Exists") return !!value;
  if (operator === "DoesNotExist") return !value;
  const among = values?.includes(value ?? "") === true;
  return operator === "In" ? among : !among;
}
