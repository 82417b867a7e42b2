import type { Pod, PodCondition } from "pintle/kinds/core/v1";
import { buildPodCondition, type ConditionReason } from "../../pod-condition.ts";
import { getContainerState, isSidecar, type PodState } from "./pod-state.ts";

/** Builds the conditions that the kubelet sets, followed by those of others. */
export function buildPodConditions(pod: Pod, state: PodState, phase: string, initialized: boolean, now: string): readonly PodCondition[] {
  const { initContainers = [], containers } = pod.spec;
  const finishedReason = phase === "Succeeded" ? { reason: "PodCompleted" } : phase === "Failed" ? { reason: "PodFailed" } : undefined;
  const incomplete = initContainers.filter((container) => {
    const { runState } = getContainerState(state, container);
    if (isSidecar(container)) return !(runState.phase === "running" && runState.started);
    return !(runState.phase === "ended" && runState.termination.exitCode === 0);
  });
  const uninitialized = { reason: "ContainersNotInitialized", message: `containers with incomplete status: [${formatNames(incomplete)}]` };
  const unready = [...initContainers.filter(isSidecar), ...containers].filter((container) => {
    const { runState } = getContainerState(state, container);
    return !(runState.phase === "running" && runState.ready);
  });
  const ready = finishedReason === undefined && unready.length === 0;
  const notReadyReason = finishedReason ?? {
    reason: "ContainersNotReady",
    message: `containers with unready status: [${formatNames(unready)}]`,
  };
  const gates = listReadinessGateProblems(pod);
  const gatesReason = { reason: "ReadinessGatesNotReady", message: gates.join(", ") };
  const conditions: readonly [type: string, holds: boolean, reason?: ConditionReason | undefined][] = [
    ["PodReadyToStartContainers", state.sandbox === "ready"],
    ["Initialized", initialized, !initialized ? uninitialized : phase === "Succeeded" ? finishedReason : undefined],
    ["Ready", ready && gates.length === 0, ready ? (gates.length > 0 ? gatesReason : undefined) : notReadyReason],
    ["ContainersReady", ready, ready ? undefined : notReadyReason],
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

const formatNames = (containers: readonly { readonly name: string }[]) => containers.map(({ name }) => name).join(" ");
