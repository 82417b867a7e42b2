import type { Pod, PodCondition } from "pintle/kinds/core/v1";
import { isSidecar, type PodState, stateOf } from "./state.ts";

interface Said {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The conditions a kubelet sets, before those of others. */
export function conditionsOf(pod: Pod, state: PodState, phase: string, initialized: boolean, now: string): readonly PodCondition[] {
  const { initContainers = [], containers } = pod.spec;
  const over = phase === "Succeeded" ? { reason: "PodCompleted" } : phase === "Failed" ? { reason: "PodFailed" } : undefined;
  const incomplete = initContainers.filter((container) => {
    const { standing } = stateOf(state, container);
    if (isSidecar(container)) return !(standing.at === "running" && standing.started);
    return !(standing.at === "ended" && standing.ended.exitCode === 0);
  });
  const uninitialized = { reason: "ContainersNotInitialized", message: `containers with incomplete status: [${names(incomplete)}]` };
  const unready = [...initContainers.filter(isSidecar), ...containers].filter((container) => {
    const { standing } = stateOf(state, container);
    return !(standing.at === "running" && standing.ready);
  });
  const ready = over === undefined && unready.length === 0;
  const whyNot = over ?? { reason: "ContainersNotReady", message: `containers with unready status: [${names(unready)}]` };
  const gates = gateProblems(pod);
  const gated = { reason: "ReadinessGatesNotReady", message: gates.join(", ") };
  const own: readonly [type: string, holds: boolean, said?: Said | undefined][] = [
    ["PodReadyToStartContainers", state.sandbox === "ready"],
    ["Initialized", initialized, !initialized ? uninitialized : phase === "Succeeded" ? over : undefined],
    ["Ready", ready && gates.length === 0, ready ? (gates.length > 0 ? gated : undefined) : whyNot],
    ["ContainersReady", ready, ready ? undefined : whyNot],
    ["PodScheduled", true],
  ];
  const types = new Set(own.map(([type]) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return [...own.map(([type, holds, said]) => condition(pod, type, holds, said, now)), ...others];
}

function condition(pod: Pod, type: string, holds: boolean, said: Said | undefined, now: string): PodCondition {
  const status = holds ? "True" : "False";
  const old = pod.status.conditions?.find((each) => each.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  return { type, status, ...said, lastTransitionTime, observedGeneration: pod.metadata.generation };
}

function gateProblems({ spec, status }: Pod): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = status.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return found.status === "True" ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
}

const names = (containers: readonly { readonly name: string }[]) => containers.map(({ name }) => name).join(" ");
