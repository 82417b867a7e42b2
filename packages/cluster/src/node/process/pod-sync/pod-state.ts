import type { Container, Pod } from "pintle/kinds/core/v1";
import type { BackOff } from "./back-off.ts";

/** A finished container run. Times are milliseconds since 1970. */
export interface TerminatedRun {
  readonly id: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The state of a container. */
export type ContainerRunState =
  /** Not started yet. */
  | { readonly phase: "none" }
  /** It cannot be created: the image or a ConfigMap is missing. Retried at `retryAt`. */
  | { readonly phase: "blocked"; readonly reason: string; readonly message: string; readonly retryAt: number }
  | { readonly phase: "creating" }
  | {
      readonly phase: "running";
      readonly id: string;
      readonly startedAt: number;
      /** The startup probe and the postStart hook have succeeded. */
      readonly started: boolean;
      readonly ready: boolean;
      readonly stopping: boolean;
    }
  | { readonly phase: "ended"; readonly termination: TerminatedRun };

export interface ContainerState {
  readonly runState: ContainerRunState;
  readonly restarts: number;
  /** The previous run. */
  readonly lastTermination?: TerminatedRun | undefined;
  readonly backOff?: BackOff | undefined;
  readonly imageId?: string | undefined;
}

export interface PodState {
  readonly containers: Readonly<Record<string, ContainerState>>;
  /** The sandbox holds the pod's address and volumes. */
  readonly sandbox: "none" | "transitioning" | "ready" | "closed";
  /** Why the node failed the pod, if it did. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}

const INITIAL_STATE: ContainerState = { runState: { phase: "none" }, restarts: 0 };

export const getContainerState = (state: PodState, { name }: { readonly name: string }): ContainerState =>
  state.containers[name] ?? INITIAL_STATE;

/** Returns the pod state with one container changed. */
export function updateContainerState(state: PodState, name: string, change: (container: ContainerState) => ContainerState): PodState {
  return { ...state, containers: { ...state.containers, [name]: change(getContainerState(state, { name })) } };
}

/** Returns whether an init container keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container) => restartPolicy === "Always";

/** Recovers the state from the last reported status after a restart of the kubelet: its processes are gone. */
export function recoverPodState(pod: Pod, now: number): PodState {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  const sidecars = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const initContainerNames = new Set(initContainerStatuses.map(({ name }) => name));
  const containers: Record<string, ContainerState> = {};
  for (const status of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]) {
    const { running, terminated } = status.state ?? {};
    const last = parseTerminated(status.lastState?.terminated);
    const common = { restarts: status.restartCount, lastTermination: last, imageId: status.imageID };
    if (running !== undefined) {
      const startedAt = Date.parse(running.startedAt ?? "") || now;
      const termination = { id: status.containerID ?? "", exitCode: 255, reason: "Unknown", startedAt, finishedAt: now };
      containers[status.name] = { ...common, runState: { phase: "ended", termination } };
    } else if (terminated !== undefined) {
      const termination = parseTerminated(terminated)!;
      // The sandbox is new: init containers run again.
      const runsAgain = initContainerNames.has(status.name) && !sidecars.has(status.name) && !isPodFinished(pod);
      containers[status.name] = runsAgain
        ? { ...common, restarts: status.restartCount + 1, lastTermination: termination, runState: { phase: "none" } }
        : { ...common, runState: { phase: "ended", termination } };
    } else if (last !== undefined)
      containers[status.name] = { ...common, lastTermination: undefined, runState: { phase: "ended", termination: last } };
  }
  const { reason, message = "" } = pod.status;
  const failure = isPodFinished(pod) && reason !== undefined ? { failure: { reason, message } } : {};
  return { containers, sandbox: isPodFinished(pod) ? "closed" : "none", ...failure };
}

export const isPodFinished = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";

function parseTerminated(
  terminated: NonNullable<NonNullable<Pod["status"]["containerStatuses"]>[number]["state"]>["terminated"],
): TerminatedRun | undefined {
  if (terminated === undefined) return undefined;
  const { containerID = "", exitCode, reason = "Error", message, startedAt, finishedAt } = terminated;
  const parseTime = (time: string | undefined) => Date.parse(time ?? "") || 0;
  return { id: containerID, exitCode, reason, message, startedAt: parseTime(startedAt), finishedAt: parseTime(finishedAt) };
}
