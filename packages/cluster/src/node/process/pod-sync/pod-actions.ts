import type { Container, Pod } from "pintle/kinds/core/v1";
import { getRestartTime } from "./back-off.ts";
import { type ContainerState, getContainerState, isPodFinished, isSidecar, type PodState, type TerminatedRun } from "./pod-state.ts";

export type PodAction =
  /** Create the sandbox and the volumes. */
  | { readonly type: "createSandbox" }
  | { readonly type: "start"; readonly container: Container }
  | { readonly type: "stop"; readonly container: Container }
  /** The active deadline has passed. */
  | { readonly type: "fail"; readonly reason: string; readonly message: string }
  /** Nothing runs and nothing will: close the sandbox. */
  | { readonly type: "closeSandbox" };

export interface PodActions {
  readonly actions: readonly PodAction[];
  /** Containers that wait for their back-off. */
  readonly inBackOff: readonly Container[];
  /** When to sync again without an event. */
  readonly requeueAt?: number | undefined;
}

/** Computes the next actions for a pod, like `computePodActions` of the kubelet. Pure. */
export function computePodActions(pod: Pod, state: PodState, now: number): PodActions {
  const { initContainers = [], containers } = pod.spec;
  if (isPodEnding(pod, state)) return computeStopActions(pod, state);
  const deadline = getActiveDeadline(pod);
  if (deadline !== undefined && deadline <= now)
    return singleAction({
      type: "fail",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
  if (state.sandbox !== "ready") return state.sandbox === "none" ? singleAction({ type: "createSandbox" }) : NO_ACTIONS;

  const actions: PodAction[] = [];
  const inBackOff: Container[] = [];
  const times: number[] = deadline === undefined ? [] : [deadline];
  const planStart = (container: Container) => {
    const at = getStartTime(container, pod, getContainerState(state, container));
    if (at === undefined) return;
    if (at <= now) actions.push({ type: "start", container });
    else {
      times.push(at);
      if (getContainerState(state, container).runState.phase === "ended") inBackOff.push(container);
    }
  };
  const buildResult = (): PodActions => ({ actions, inBackOff, ...(times.length > 0 ? { requeueAt: Math.min(...times) } : {}) });

  const hasStartedContainers = containers.some((container) => getContainerState(state, container).runState.phase !== "none");
  for (const container of initContainers) {
    const containerState = getContainerState(state, container);
    if (isSidecar(container)) {
      planStart(container);
      if (!hasStartedContainers && !hasStarted(containerState)) return buildResult();
    } else if (!hasStartedContainers && !hasSucceeded(containerState)) {
      planStart(container);
      return buildResult();
    }
  }
  for (const container of containers) planStart(container);
  for (const container of pod.spec.ephemeralContainers ?? []) planStart({ ...container, restartPolicy: "Never" });
  if (containers.every((container) => isContainerFinished(container, pod, getContainerState(state, container))))
    return computeStopActions(pod, state);
  return buildResult();
}

const NO_ACTIONS: PodActions = { actions: [], inBackOff: [] };
const singleAction = (action: PodAction): PodActions => ({ actions: [action], inBackOff: [] });

/** Returns whether no container of the pod will be started any more. */
export function isPodEnding(pod: Pod, state: PodState): boolean {
  const { initContainers = [], containers } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined || state.failure !== undefined || isPodFinished(pod)) return true;
  if (containers.some((container) => getContainerState(state, container).runState.phase !== "none")) return false;
  return initContainers.some(
    (container) => !isSidecar(container) && isContainerFinished(container, pod, getContainerState(state, container), true),
  );
}

/** Stops running containers: the regular ones together, then the sidecars in reverse order. */
function computeStopActions(pod: Pod, state: PodState): PodActions {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const isLive = (container: Container) => {
    const { phase } = getContainerState(state, container).runState;
    return phase === "running" || phase === "creating";
  };
  const stopContainers = (which: readonly Container[]): PodActions => ({
    actions: which
      .filter((container) => {
        const { runState } = getContainerState(state, container);
        return runState.phase === "running" && !runState.stopping;
      })
      .map((container) => ({ type: "stop", container })),
    inBackOff: [],
  });
  const sidecars = initContainers.filter(isSidecar).reverse();
  const first = [...initContainers.filter((container) => !isSidecar(container)), ...containers, ...ephemeralContainers].filter(isLive);
  if (first.length > 0) return stopContainers(first);
  const next = sidecars.find(isLive);
  if (next !== undefined) return stopContainers([next]);
  return state.sandbox === "closed" ? NO_ACTIONS : state.sandbox === "transitioning" ? NO_ACTIONS : singleAction({ type: "closeSandbox" });
}

/** Returns when a container is to be started; undefined if not at all, or not yet. */
function getStartTime(container: Container, pod: Pod, { runState, backOff }: ContainerState): number | undefined {
  if (runState.phase === "none") return 0;
  if (runState.phase === "blocked") return runState.retryAt;
  if (runState.phase !== "ended" || !shouldRestart(container, pod, runState.termination)) return undefined;
  return getRestartTime(backOff, runState.termination.finishedAt);
}

/** Returns whether a container with this exit is restarted. */
export function shouldRestart(container: Container, pod: Pod, { exitCode }: TerminatedRun): boolean {
  const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) === true;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? "Always";
  // An init container that succeeded is done, whatever the restart policy.
  if (isInit && !isSidecar(container)) return exitCode !== 0 && policy !== "Never";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function isContainerFinished(container: Container, pod: Pod, { runState }: ContainerState, failed = false): boolean {
  return (
    runState.phase === "ended" && !shouldRestart(container, pod, runState.termination) && (!failed || runState.termination.exitCode !== 0)
  );
}

const hasStarted = ({ runState }: ContainerState) => runState.phase === "running" && runState.started;
const hasSucceeded = ({ runState }: ContainerState) => runState.phase === "ended" && runState.termination.exitCode === 0;

function getActiveDeadline({ spec, status }: Pod): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}
