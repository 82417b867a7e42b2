import type { Pod } from "pintle/kinds/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "pintle/kinds/policy/v1";
import { isActive, isReady } from "../pod.ts";

/** How long an eviction that was allowed may take until it counts as not done. */
const DELETION_TIMEOUT = 120_000;

export interface DisruptionStep {
  readonly status: PodDisruptionBudgetStatus;
  readonly again: number | undefined;
}

/** Pure. `expected` is how many pods their controllers want, for budgets that speak of a share or of what may be missing. */
export function disruptionStep(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: number,
  now: number,
  time: string,
): DisruptionStep {
  const { minAvailable, maxUnavailable } = budget.spec;
  const share = (value: number | string, round: (n: number) => number = Math.ceil) =>
    typeof value === "number" ? value : round((Number.parseInt(value, 10) * expected) / 100);
  const [expectedPods, desiredHealthy] =
    maxUnavailable !== undefined
      ? [expected, Math.max(0, expected - share(maxUnavailable))]
      : typeof minAvailable === "string"
        ? [expected, share(minAvailable)]
        : [pods.length, minAvailable ?? 1];
  const pending = Object.entries(budget.status.disruptedPods ?? {}).filter(([name, at]) => {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined && Date.parse(at) + DELETION_TIMEOUT > now;
  });
  const disrupted = new Map(pending);
  const healthy = pods.filter((pod) => isActive(pod) && isReady(pod) && !disrupted.has(pod.metadata.name)).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, healthy - desiredHealthy);
  const { generation } = budget.metadata;
  const old = budget.status.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const [status, reason] = disruptionsAllowed > 0 ? (["True", "SufficientPods"] as const) : (["False", "InsufficientPods"] as const);
  const condition = {
    type: "DisruptionAllowed",
    status,
    observedGeneration: generation,
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? time) : time,
    reason,
    message: "",
  };
  return {
    status: {
      observedGeneration: generation,
      ...(pending.length === 0 ? {} : { disruptedPods: Object.fromEntries(pending) }),
      disruptionsAllowed,
      currentHealthy: healthy,
      desiredHealthy,
      expectedPods,
      conditions: [...(budget.status.conditions ?? []).filter(({ type }) => type !== condition.type), condition],
    },
    again: pending.length === 0 ? undefined : Math.min(...pending.map(([, at]) => Date.parse(at) + DELETION_TIMEOUT)) - now,
  };
}
