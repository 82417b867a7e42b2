import type { Container, ContainerStatus, Pod, PodStatus, ContainerState as ShownState } from "pintle/kinds/core/v1";
import { timestamp } from "../../../api/index.ts";
import { restartAt } from "./back-off.ts";
import { conditionsOf } from "./conditions.ts";
import { phaseOf } from "./phase.ts";
import { isEnding, isRestarted } from "./plan.ts";
import { type ContainerState, type Ended, isSidecar, type PodState, stateOf } from "./state.ts";

export interface Place {
  readonly podIP?: string | undefined;
  readonly hostIP: string;
}

/** What a node says of a pod. */
export function statusOf(pod: Pod, state: PodState, { podIP, hostIP }: Place, now: number): PodStatus {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const phase = phaseOf(pod, state);
  const initialized = isInitialized(pod, state);
  const shown = (container: Container) => containerStatus(container, pod, state, initialized, now);
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase,
    ...(state.failure ?? {}),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status.startTime ?? timestamp(now),
    conditions: conditionsOf(pod, state, phase, initialized, timestamp(now)),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers.map(shown) }),
    containerStatuses: containers.map(shown),
    ...(ephemeralContainers.length === 0 ? {} : { ephemeralContainerStatuses: ephemeralContainers.map(shown) }),
  };
}

/** True when everything that comes before the containers is done: also when they have been started since. */
export function isInitialized({ spec }: Pod, state: PodState): boolean {
  if (spec.containers.some((container) => stateOf(state, container).standing.at !== "none")) return true;
  return (spec.initContainers ?? []).every((container) => {
    const { standing } = stateOf(state, container);
    if (isSidecar(container)) return standing.at === "running" && standing.started;
    return standing.at === "ended" && standing.ended.exitCode === 0;
  });
}

function containerStatus(container: Container, pod: Pod, podState: PodState, initialized: boolean, now: number): ContainerStatus {
  const own = stateOf(podState, container);
  const { standing } = own;
  const id = standing.at === "running" ? standing.id : standing.at === "ended" ? standing.ended.id : own.last?.id;
  const isInit = pod.spec.initContainers?.includes(container) === true;
  const done = isInit && !isSidecar(container) && standing.at === "ended" && standing.ended.exitCode === 0;
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: own.imageId ?? "",
    ...(id === undefined || id === "" ? {} : { containerID: id }),
    ready: done || (standing.at === "running" && standing.ready),
    started: standing.at === "running" && standing.started,
    restartCount: own.restarts,
    ...statesOf(container, pod, podState, own, initialized, now),
  };
}

function statesOf(
  container: Container,
  pod: Pod,
  podState: PodState,
  { standing, last, backOff }: ContainerState,
  initialized: boolean,
  now: number,
): { readonly state: ShownState; readonly lastState: ShownState } {
  const before: ShownState = last === undefined ? {} : { terminated: terminated(last) };
  const isInit = pod.spec.initContainers?.includes(container) === true;
  switch (standing.at) {
    case "none":
    case "creating":
      return { state: { waiting: { reason: isInit || !initialized ? "PodInitializing" : "ContainerCreating" } }, lastState: before };
    case "blocked":
      return { state: { waiting: { reason: standing.reason, message: standing.message } }, lastState: before };
    case "running":
      return { state: { running: { startedAt: timestamp(standing.startedAt) } }, lastState: before };
    case "ended": {
      const { ended } = standing;
      const waits = !isEnding(pod, podState) && isRestarted(container, pod, ended) && restartAt(backOff, ended.finishedAt) > now;
      if (!waits) return { state: { terminated: terminated(ended) }, lastState: before };
      const message = `back-off ${duration(backOff!.delay)} restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      return { state: { waiting: { reason: "CrashLoopBackOff", message } }, lastState: { terminated: terminated(ended) } };
    }
  }
}

function terminated({ id, exitCode, reason, message, startedAt, finishedAt }: Ended) {
  return {
    exitCode,
    reason,
    ...(message === undefined || message === "" ? {} : { message }),
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
    ...(id === "" ? {} : { containerID: id }),
  };
}

/** As Go writes it: "10s", "2m40s". */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
