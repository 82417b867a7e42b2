import type { Job, PodFailurePolicyRule } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";

export interface PodFailurePolicyMatch {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  readonly message: string;
}

/** Returns the first rule of the pod failure policy that matches a failed pod. Pure. */
export function matchPodFailurePolicy({ spec }: Job, pod: Pod): PodFailurePolicyMatch | undefined {
  for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const description = matchExitCode(rule, pod) ?? matchCondition(rule, pod);
    if (description !== undefined)
      return {
        action: rule.action as PodFailurePolicyMatch["action"],
        message: `${description} matching ${rule.action} rule at index ${i}`,
      };
  }
  return undefined;
}

function matchExitCode({ onExitCodes }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  for (const { name, state } of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]) {
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0 || (containerName != null && containerName !== name)) continue;
    if (values.includes(code) === (operator === "In"))
      return `Container ${name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${code}`;
  }
  return undefined;
}

function matchCondition({ onPodConditions = [] }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  for (const { type, status: wanted = "True" } of onPodConditions) {
    if (status.conditions?.some((condition) => condition.type === type && condition.status === wanted)) {
      return `Pod ${metadata.namespace}/${metadata.name} has condition ${type}`;
    }
  }
  return undefined;
}
