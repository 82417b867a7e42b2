import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from "pintle/kinds/core/v1";
import { behaviourOf } from "./behaviour.ts";

export interface Placement {
  readonly podIP: string;
  readonly hostIP: string;
}

/** Containers run and, unless it is one that never gets so far, are ready. */
export function runningStatus(pod: Pod, place: Placement, now: string, restarts = restartsOf(pod)): PodStatus {
  const ready = behaviourOf(pod) !== "never-ready";
  return {
    ...placed(pod, place, now),
    phase: "Running",
    conditions: conditionsOf(pod, now, { initialized: true, ready }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...common(container, pod),
      ready,
      started: true,
      restartCount: restarts,
      state: { running: { startedAt: now } },
      lastState: restarts > 0 ? (statusOf(pod, container)?.lastState ?? {}) : {},
    })),
  };
}

/** Containers run and are not ready yet. */
export function startingStatus(pod: Pod, place: Placement, now: string): PodStatus {
  return {
    ...placed(pod, place, now),
    phase: "Running",
    conditions: conditionsOf(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...common(container, pod),
      ready: false,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
      lastState: {},
    })),
  };
}

export function pullFailedStatus(pod: Pod, place: Placement, now: string): PodStatus {
  const waiting = (image: string | undefined) => ({ reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` });
  return {
    ...placed(pod, place, now),
    phase: "Pending",
    conditions: conditionsOf(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      name: container.name,
      image: container.image ?? "",
      imageID: "",
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: waiting(container.image) },
      lastState: {},
    })),
  };
}

/** All containers ended, and with them the pod. */
export function endedStatus(pod: Pod, exitCode: number, now: string): PodStatus {
  const reason = exitCode === 0 ? "Completed" : "Error";
  const why = exitCode === 0 ? "PodCompleted" : "PodFailed";
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: conditionsOf(pod, now, { initialized: true, ready: false, why, started: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...common(container, pod),
      ready: false,
      started: false,
      restartCount: restartsOf(pod),
      state: { terminated: ended(pod, container, exitCode, reason, now) },
      lastState: {},
    })),
  };
}

/** A container ended and is to be started again, later every time. */
export function crashedStatus(pod: Pod, exitCode: number, now: string): PodStatus {
  const reason = exitCode === 0 ? "Completed" : "Error";
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    conditions: conditionsOf(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...common(container, pod),
      ready: false,
      started: false,
      restartCount: restartsOf(pod),
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off ${backOff(restartsOf(pod))} restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: ended(pod, container, exitCode, reason, now) },
    })),
  };
}

function placed(pod: Pod, { podIP, hostIP }: Placement, now: string): PodStatus {
  const { initContainers = [] } = pod.spec;
  const own = pod.spec.hostNetwork ? hostIP : podIP;
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: own,
    podIPs: [{ ip: own }],
    startTime: pod.status.startTime ?? now,
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers.map((container) => initialized(container, pod, now)) }),
  };
}

function initialized(container: Container, pod: Pod, now: string): ContainerStatus {
  const shown = { ...common(container, pod), ready: true, restartCount: 0, lastState: {} };
  // A sidecar goes on running.
  if (container.restartPolicy === "Always") return { ...shown, started: true, state: { running: { startedAt: now } } };
  return { ...shown, started: false, state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } } };
}

interface Standing {
  readonly initialized: boolean;
  readonly ready: boolean;
  /** Why a pod that ended is not ready. */
  readonly why?: string | undefined;
  readonly started?: boolean | undefined;
}

function conditionsOf(pod: Pod, now: string, { initialized, ready, why, started = true }: Standing): readonly PodCondition[] {
  const names = pod.spec.containers.map(({ name }) => name).join(" ");
  const unready =
    why !== undefined ? { reason: why } : { reason: "ContainersNotReady", message: `containers with unready status: [${names}]` };
  const gates = (pod.spec.readinessGates ?? []).filter(
    ({ conditionType }) => !pod.status.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  const gated = {
    reason: "ReadinessGatesNotReady",
    message: gates
      .map(({ conditionType }) => `corresponding condition of pod readiness gate "${conditionType}" does not exist.`)
      .join(", "),
  };
  const own: readonly [
    type: string,
    holds: boolean,
    why?: { readonly reason: string; readonly message?: string | undefined } | undefined,
  ][] = [
    ["PodReadyToStartContainers", started],
    ["Initialized", initialized, why === "PodCompleted" ? { reason: why } : undefined],
    ["Ready", ready && gates.length === 0, ready ? (gates.length > 0 ? gated : undefined) : unready],
    ["ContainersReady", ready, ready ? undefined : unready],
    ["PodScheduled", true],
  ];
  const types = new Set(own.map(([type]) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return [...own.map(([type, holds, said]) => condition(pod, type, holds, said, now)), ...others];
}

function condition(pod: Pod, type: string, holds: boolean, said: object | undefined, now: string): PodCondition {
  const status = holds ? "True" : "False";
  const old = pod.status.conditions?.find((c) => c.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  return { type, status, ...said, lastTransitionTime, observedGeneration: pod.metadata.generation };
}

const statusOf = (pod: Pod, { name }: Container) => pod.status.containerStatuses?.find((status) => status.name === name);
const restartsOf = (pod: Pod) => Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
const backOff = (restarts: number) =>
  restarts >= 5
    ? "5m0s"
    : restarts >= 3
      ? `${Math.floor((10 * 2 ** restarts) / 60)}m${(10 * 2 ** restarts) % 60}s`
      : `${10 * 2 ** restarts}s`;

function ended(pod: Pod, container: Container, exitCode: number, reason: string, now: string) {
  const startedAt = statusOf(pod, container)?.state?.running?.startedAt ?? now;
  return { exitCode, reason, startedAt, finishedAt: now, containerID: idOf(pod, container) };
}

const idOf = (pod: Pod, { name }: Container) => `simulated://${pod.metadata.uid}/${name}`;

function common(container: Container, pod: Pod) {
  const image = container.image ?? "";
  return { name: container.name, image, imageID: `simulated://${image}`, containerID: idOf(pod, container) };
}
