import type { Pod, PodCondition } from "pintle/kinds/core/v1";

/** Why a condition has its status. */
interface ConditionReason {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** What the conditions of the kubelet depend on. */
export interface PodReadiness {
  readonly hasSandbox: boolean;
  readonly initialized: boolean;
  readonly initializedReason?: ConditionReason | undefined;
  readonly containersReady: boolean;
  /** Why the containers are not ready. */
  readonly notReadyReason: ConditionReason;
}

/** Builds the conditions that the kubelet sets, followed by those of other controllers. */
export function buildKubeletConditions(pod: Pod, readiness: PodReadiness, now: string): readonly PodCondition[] {
  const { hasSandbox, initialized, initializedReason, containersReady, notReadyReason } = readiness;
  const gates = listReadinessGateProblems(pod);
  const gatesReason = gates.length === 0 ? undefined : { reason: "ReadinessGatesNotReady", message: gates.join(", ") };
  const conditions: readonly [type: string, holds: boolean, reason?: ConditionReason | undefined][] = [
    ["PodReadyToStartContainers", hasSandbox],
    ["Initialized", initialized, initializedReason],
    ["Ready", containersReady && gates.length === 0, containersReady ? gatesReason : notReadyReason],
    ["ContainersReady", containersReady, containersReady ? undefined : notReadyReason],
    ["PodScheduled", true],
  ];
  const types = new Set(conditions.map(([type]) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return [...conditions.map(([type, holds, reason]) => buildPodCondition(pod, type, holds, reason, now)), ...others];
}

function listReadinessGateProblems({ spec, status }: Pod): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = status.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return found.status === "True" ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
}

/** Builds a condition of a pod. The transition time changes only with the status. */
function buildPodCondition(pod: Pod, type: string, holds: boolean, reason: ConditionReason | undefined, now: string): PodCondition {
  const status = holds ? "True" : "False";
  const old = pod.status.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  return { type, status, ...reason, lastTransitionTime, observedGeneration: pod.metadata.generation };
}
