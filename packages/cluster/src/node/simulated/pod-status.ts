import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from "pintle/kinds/core/v1";
import { buildKubeletConditions } from "../pod-condition.ts";
import { getBehaviour } from "./behaviour.ts";

export interface PodPlacement {
  readonly podIP: string;
  readonly hostIP: string;
}

/** Builds the status of a running pod, ready unless its behaviour is "never-ready". */
export function buildRunningStatus(pod: Pod, placement: PodPlacement, now: string, restarts = getRestartCount(pod)): PodStatus {
  const ready = getBehaviour(pod) !== "never-ready";
  return {
    ...buildPlacedStatus(pod, placement, now),
    phase: "Running",
    conditions: buildConditions(pod, now, { initialized: true, ready }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...buildContainerStatus(container, pod),
      ready,
      started: true,
      restartCount: restarts,
      state: { running: { startedAt: now } },
      lastState: restarts > 0 ? (getContainerStatus(pod, container)?.lastState ?? {}) : {},
    })),
  };
}

/** Builds the status of a running pod that is not ready yet. */
export function buildStartingStatus(pod: Pod, placement: PodPlacement, now: string): PodStatus {
  return {
    ...buildPlacedStatus(pod, placement, now),
    phase: "Running",
    conditions: buildConditions(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...buildContainerStatus(container, pod),
      ready: false,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
      lastState: {},
    })),
  };
}

/**
 * Builds the status of a running pod after a change of its spec or of its readiness gates. Containers whose image changed are restarted, as by
 * the kubelet; `ready` is whether they are ready at once.
 */
export function buildUpdatedStatus(pod: Pod, now: string, ready: boolean): PodStatus {
  const containerStatuses = pod.spec.containers.map((container): ContainerStatus => {
    const status = getContainerStatus(pod, container);
    const fresh = buildContainerStatus(container, pod);
    if (status === undefined || status.image === fresh.image) {
      return status ?? { ...fresh, ready, started: true, restartCount: 0, state: { running: { startedAt: now } }, lastState: {} };
    }
    const terminated = buildTerminatedState(pod, container, 143, "Error", now);
    const restartCount = status.restartCount + 1;
    return { ...fresh, ready, started: true, restartCount, state: { running: { startedAt: now } }, lastState: { terminated } };
  });
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    conditions: buildConditions(pod, now, { initialized: true, ready: containerStatuses.every((status) => status.ready) }),
    containerStatuses,
  };
}

/** Returns the containers that run another image than their spec names. */
export function listReplacedContainers(pod: Pod): readonly Container[] {
  return pod.spec.containers.filter((container) => {
    const image = getContainerStatus(pod, container)?.image;
    return image !== undefined && image !== container.image;
  });
}

/** Returns whether the status reports another generation, or ignores a readiness gate that changed. */
export function isStatusOutdated(pod: Pod): boolean {
  const { generation } = pod.metadata;
  if ((pod.status.observedGeneration ?? generation) !== generation) return true;
  if ((pod.spec.readinessGates ?? []).length === 0) return false;
  const ready = pod.status.containerStatuses?.every((status) => status.ready) === true;
  const [reported, expected] = [pod.status.conditions, buildConditions(pod, "", { initialized: true, ready })].map((conditions) =>
    conditions?.find(({ type }) => type === "Ready"),
  );
  return reported?.status !== expected?.status || reported?.message !== expected?.message;
}

export function buildPullFailedStatus(pod: Pod, placement: PodPlacement, now: string): PodStatus {
  const imagePullBackOff = (image: string | undefined) => ({ reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` });
  return {
    ...buildPlacedStatus(pod, placement, now),
    phase: "Pending",
    conditions: buildConditions(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      name: container.name,
      image: container.image ?? "",
      imageID: "",
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: imagePullBackOff(container.image) },
      lastState: {},
    })),
  };
}

/** Builds the status of a finished pod. */
export function buildEndedStatus(pod: Pod, exitCode: number, now: string): PodStatus {
  const reason = exitCode === 0 ? "Completed" : "Error";
  const readyReason = exitCode === 0 ? "PodCompleted" : "PodFailed";
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: buildConditions(pod, now, { initialized: true, ready: false, reason: readyReason, started: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...buildContainerStatus(container, pod),
      ready: false,
      started: false,
      restartCount: getRestartCount(pod),
      state: { terminated: buildTerminatedState(pod, container, exitCode, reason, now) },
      lastState: {},
    })),
  };
}

/** Builds the status of a pod whose container exited and waits in CrashLoopBackOff. */
export function buildCrashedStatus(pod: Pod, exitCode: number, now: string): PodStatus {
  const reason = exitCode === 0 ? "Completed" : "Error";
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    conditions: buildConditions(pod, now, { initialized: true, ready: false }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...buildContainerStatus(container, pod),
      ready: false,
      started: false,
      restartCount: getRestartCount(pod),
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off ${formatBackOff(getRestartCount(pod))} restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: buildTerminatedState(pod, container, exitCode, reason, now) },
    })),
  };
}

function buildPlacedStatus(pod: Pod, { podIP, hostIP }: PodPlacement, now: string): PodStatus {
  const { initContainers = [] } = pod.spec;
  const ip = pod.spec.hostNetwork ? hostIP : podIP;
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.status.startTime ?? now,
    ...(initContainers.length === 0
      ? {}
      : { initContainerStatuses: initContainers.map((container) => buildInitContainerStatus(container, pod, now)) }),
  };
}

function buildInitContainerStatus(container: Container, pod: Pod, now: string): ContainerStatus {
  const shown = { ...buildContainerStatus(container, pod), ready: true, restartCount: 0, lastState: {} };
  // A sidecar keeps running.
  if (container.restartPolicy === "Always") return { ...shown, started: true, state: { running: { startedAt: now } } };
  return { ...shown, started: false, state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } } };
}

interface SimulatedReadiness {
  readonly initialized: boolean;
  readonly ready: boolean;
  /** Why a finished pod is not ready. */
  readonly reason?: string | undefined;
  readonly started?: boolean | undefined;
}

function buildConditions(
  pod: Pod,
  now: string,
  { initialized, ready, reason, started = true }: SimulatedReadiness,
): readonly PodCondition[] {
  const names = pod.spec.containers.map(({ name }) => name).join(" ");
  return buildKubeletConditions(
    pod,
    {
      hasSandbox: started,
      initialized,
      initializedReason: reason === "PodCompleted" ? { reason } : undefined,
      containersReady: ready,
      notReadyReason:
        reason === undefined ? { reason: "ContainersNotReady", message: `containers with unready status: [${names}]` } : { reason },
    },
    now,
  );
}

const getContainerStatus = (pod: Pod, { name }: Container) => pod.status.containerStatuses?.find((status) => status.name === name);
const getRestartCount = (pod: Pod) => Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
const formatBackOff = (restarts: number) =>
  restarts >= 5
    ? "5m0s"
    : restarts >= 3
      ? `${Math.floor((10 * 2 ** restarts) / 60)}m${(10 * 2 ** restarts) % 60}s`
      : `${10 * 2 ** restarts}s`;

function buildTerminatedState(pod: Pod, container: Container, exitCode: number, reason: string, now: string) {
  const startedAt = getContainerStatus(pod, container)?.state?.running?.startedAt ?? now;
  return { exitCode, reason, startedAt, finishedAt: now, containerID: getContainerId(pod, container) };
}

const getContainerId = (pod: Pod, { name }: Container) => `simulated://${pod.metadata.uid}/${name}`;

function buildContainerStatus(container: Container, pod: Pod) {
  const image = container.image ?? "";
  return { name: container.name, image, imageID: `simulated://${image}`, containerID: getContainerId(pod, container) };
}
