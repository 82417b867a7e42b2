import type { Pod } from "pintle/kinds/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "pintle/kinds/policy/v1";
import { isPodActive, isPodReady } from "../shared/pod-readiness.ts";

/** How long the eviction of a pod may take before it no longer counts. Milliseconds. */
const DELETION_TIMEOUT = 120_000;

export interface DisruptionSync {
  readonly status: PodDisruptionBudgetStatus;
  readonly requeueAfter: number | undefined;
}

/** Computes the status of a budget. `expected` is the desired number of pods, for budgets with a percentage or maxUnavailable. Pure. */
export function computeDisruptionStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: number,
  now: number,
  time: string,
): DisruptionSync {
  const { minAvailable, maxUnavailable } = budget.spec;
  const resolvePercentage = (value: number | string, round: (n: number) => number = Math.ceil) =>
    typeof value === "number" ? value : round((Number.parseInt(value, 10) * expected) / 100);
  const [expectedPods, desiredHealthy] =
    maxUnavailable !== undefined
      ? [expected, Math.max(0, expected - resolvePercentage(maxUnavailable))]
      : typeof minAvailable === "string"
        ? [expected, resolvePercentage(minAvailable)]
        : [pods.length, minAvailable ?? 1];
  const disruptions = Object.entries(budget.status.disruptedPods ?? {}).filter(([name, at]) => {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined && Date.parse(at) + DELETION_TIMEOUT > now;
  });
  const disrupted = new Map(disruptions);
  const healthy = pods.filter((pod) => isPodActive(pod) && isPodReady(pod) && !disrupted.has(pod.metadata.name)).length;
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
      ...(disruptions.length === 0 ? {} : { disruptedPods: Object.fromEntries(disruptions) }),
      disruptionsAllowed,
      currentHealthy: healthy,
      desiredHealthy,
      expectedPods,
      conditions: [...(budget.status.conditions ?? []).filter(({ type }) => type !== condition.type), condition],
    },
    requeueAfter: disruptions.length === 0 ? undefined : Math.min(...disruptions.map(([, at]) => Date.parse(at) + DELETION_TIMEOUT)) - now,
  };
}
