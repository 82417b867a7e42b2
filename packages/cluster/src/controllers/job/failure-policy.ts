import type { Job, PodFailurePolicyRule } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";

export interface PolicyMatch {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  readonly message: string;
}

/** What a job's policy says about a failed pod: the first rule that fits decides. Pure. */
export function failurePolicy({ spec }: Job, pod: Pod): PolicyMatch | undefined {
  for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = byExitCode(rule, pod) ?? byCondition(rule, pod);
    if (what !== undefined)
      return { action: rule.action as PolicyMatch["action"], message: `${what} matching ${rule.action} rule at index ${i}` };
  }
  return undefined;
}

function byExitCode({ onExitCodes }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
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

function byCondition({ onPodConditions = [] }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  for (const { type, status: wanted = "True" } of onPodConditions) {
    if (status.conditions?.some((condition) => condition.type === type && condition.status === wanted)) {
      return `Pod ${metadata.namespace}/${metadata.name} has condition ${type}`;
    }
  }
  return undefined;
}
