import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from "pintle/kinds/core/v1";

export interface Placement {
  readonly podIP: string;
  readonly hostIP: string;
}

/** The status of a pod whose containers all run and are ready. Times that are already set stay. Pure. */
export function runningStatus(pod: Pod, { podIP, hostIP }: Placement, now: string): PodStatus {
  const { initContainers = [], containers } = pod.spec;
  const startTime = pod.status.startTime ?? now;
  return {
    ...pod.status,
    phase: "Running",
    observedGeneration: pod.metadata.generation,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime,
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) =>
      condition(pod, type, now),
    ),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers.map((c) => done(c, pod, now)) }),
    containerStatuses: containers.map((c) => running(c, pod, now)),
  };
}

function condition(pod: Pod, type: string, now: string): PodCondition {
  const old = pod.status.conditions?.find((c) => c.type === type);
  const lastTransitionTime = old?.status === "True" ? old.lastTransitionTime : now;
  return { type, status: "True", lastTransitionTime, observedGeneration: pod.metadata.generation };
}

function running(container: Container, pod: Pod, now: string): ContainerStatus {
  return { ...common(container, pod), ready: true, started: true, state: { running: { startedAt: now } } };
}

function done(container: Container, pod: Pod, now: string): ContainerStatus {
  const terminated = { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now };
  return { ...common(container, pod), ready: true, started: false, state: { terminated } };
}

function common(container: Container, pod: Pod) {
  const image = container.image ?? "";
  return {
    name: container.name,
    image,
    imageID: `simulated://${image}`,
    containerID: `simulated://${pod.metadata.uid}/${container.name}`,
    restartCount: 0,
    lastState: {},
  };
}
