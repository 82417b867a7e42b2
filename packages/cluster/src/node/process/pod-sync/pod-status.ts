import type { Container, ContainerStatus, Pod, PodCondition, PodStatus, ContainerState as ShownState } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../../api/index.ts";
import { buildKubeletConditions } from "../../pod-condition.ts";
import { getRestartTime } from "./back-off.ts";
import { isPodEnding, shouldRestart } from "./pod-actions.ts";
import { type ContainerState, getContainerState, isPodFinished, isSidecar, type PodState, type TerminatedRun } from "./pod-state.ts";

export interface PodIps {
  readonly podIP?: string | undefined;
  readonly hostIP: string;
}

/** Builds the status of a pod. */
export function buildPodStatus(pod: Pod, state: PodState, { podIP, hostIP }: PodIps, now: number): PodStatus {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const phase = computePodPhase(pod, state);
  const initialized = isInitialized(pod, state);
  const buildStatus = (container: Container) => buildContainerStatus(container, pod, state, initialized, now);
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase,
    ...(state.failure ?? {}),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status.startTime ?? formatTimestamp(now),
    conditions: buildPodConditions(pod, state, phase, initialized, formatTimestamp(now)),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers.map(buildStatus) }),
    containerStatuses: containers.map(buildStatus),
    ...(ephemeralContainers.length === 0 ? {} : { ephemeralContainerStatuses: ephemeralContainers.map(buildStatus) }),
  };
}

/** Returns whether all init containers are done, or the containers have been started. */
export function isInitialized({ spec }: Pod, state: PodState): boolean {
  if (spec.containers.some((container) => getContainerState(state, container).runState.phase !== "none")) return true;
  return (spec.initContainers ?? []).every((container) => {
    const { runState } = getContainerState(state, container);
    if (isSidecar(container)) return runState.phase === "running" && runState.started;
    return runState.phase === "ended" && runState.termination.exitCode === 0;
  });
}

function buildContainerStatus(container: Container, pod: Pod, podState: PodState, initialized: boolean, now: number): ContainerStatus {
  const containerState = getContainerState(podState, container);
  const { runState } = containerState;
  const id =
    runState.phase === "running" ? runState.id : runState.phase === "ended" ? runState.termination.id : containerState.lastTermination?.id;
  const isInit = pod.spec.initContainers?.includes(container) === true;
  const done = isInit && !isSidecar(container) && runState.phase === "ended" && runState.termination.exitCode === 0;
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: containerState.imageId ?? "",
    ...(id === undefined || id === "" ? {} : { containerID: id }),
    ready: done || (runState.phase === "running" && runState.ready),
    started: runState.phase === "running" && runState.started,
    restartCount: containerState.restarts,
    ...buildContainerStates(container, pod, podState, containerState, initialized, now),
  };
}

function buildContainerStates(
  container: Container,
  pod: Pod,
  podState: PodState,
  { runState, lastTermination, backOff }: ContainerState,
  initialized: boolean,
  now: number,
): { readonly state: ShownState; readonly lastState: ShownState } {
  const lastState: ShownState = lastTermination === undefined ? {} : { terminated: buildTerminated(lastTermination) };
  const isInit = pod.spec.initContainers?.includes(container) === true;
  switch (runState.phase) {
    case "none":
    case "creating":
      return { state: { waiting: { reason: isInit || !initialized ? "PodInitializing" : "ContainerCreating" } }, lastState };
    case "blocked":
      return { state: { waiting: { reason: runState.reason, message: runState.message } }, lastState };
    case "running":
      return { state: { running: { startedAt: formatTimestamp(runState.startedAt) } }, lastState };
    case "ended": {
      const { termination } = runState;
      const isInBackOff =
        !isPodEnding(pod, podState) && shouldRestart(container, pod, termination) && getRestartTime(backOff, termination.finishedAt) > now;
      if (!isInBackOff) return { state: { terminated: buildTerminated(termination) }, lastState };
      const message = `back-off ${formatDuration(backOff!.delay)} restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      return { state: { waiting: { reason: "CrashLoopBackOff", message } }, lastState: { terminated: buildTerminated(termination) } };
    }
  }
}

function buildTerminated({ id, exitCode, reason, message, startedAt, finishedAt }: TerminatedRun) {
  return {
    exitCode,
    reason,
    ...(message === undefined || message === "" ? {} : { message }),
    startedAt: formatTimestamp(startedAt),
    finishedAt: formatTimestamp(finishedAt),
    ...(id === "" ? {} : { containerID: id }),
  };
}

/** Formats a duration as Go does: "10s", "2m40s". */
function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** Computes the phase of a pod from its containers. A finished pod stays finished. */
function computePodPhase(pod: Pod, state: PodState): PodPhase {
  if (isPodFinished(pod)) return pod.status.phase as PodPhase;
  const { initContainers = [], containers } = pod.spec;
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  const containerStates = containers.map((container) => ({ container, ...getContainerState(state, container) }));
  const sidecarRuns = initContainers.some((each) => isSidecar(each) && getContainerState(state, each).runState.phase === "running");
  const anyRuns = sidecarRuns || containerStates.some(({ runState }) => runState.phase === "running");
  if (state.failure !== undefined) return anyRuns ? "Running" : "Failed";

  const failedInit = initContainers.some((each) => {
    const { runState } = getContainerState(state, each);
    return (
      !isSidecar(each) &&
      runState.phase === "ended" &&
      runState.termination.exitCode !== 0 &&
      (isTerminating || !shouldRestart(each, pod, runState.termination))
    );
  });
  if (failedInit && containerStates.every(({ runState }) => runState.phase === "none")) return anyRuns ? "Pending" : "Failed";
  const waiting = containerStates.some(
    ({ runState, lastTermination }) =>
      (runState.phase === "none" || runState.phase === "creating" || runState.phase === "blocked") && lastTermination === undefined,
  );
  // A container that never ran and never will counts as failed.
  if (waiting) return isTerminating && state.sandbox === "closed" ? "Failed" : "Pending";
  if (containerStates.some(({ runState }) => runState.phase !== "ended")) return "Running";
  const isFinished = containerStates.every(
    ({ container, runState }) => runState.phase === "ended" && (isTerminating || !shouldRestart(container, pod, runState.termination)),
  );
  if (!isFinished || anyRuns) return "Running";
  return containerStates.every(({ runState }) => runState.phase === "ended" && runState.termination.exitCode === 0)
    ? "Succeeded"
    : "Failed";
}

/** Builds the conditions of a pod from the state of its containers. */
function buildPodConditions(pod: Pod, state: PodState, phase: string, initialized: boolean, now: string): readonly PodCondition[] {
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
  return buildKubeletConditions(
    pod,
    {
      hasSandbox: state.sandbox === "ready",
      initialized,
      initializedReason: !initialized ? uninitialized : phase === "Succeeded" ? finishedReason : undefined,
      containersReady: finishedReason === undefined && unready.length === 0,
      notReadyReason: finishedReason ?? {
        reason: "ContainersNotReady",
        message: `containers with unready status: [${formatNames(unready)}]`,
      },
    },
    now,
  );
}

const formatNames = (containers: readonly { readonly name: string }[]) => containers.map(({ name }) => name).join(" ");
