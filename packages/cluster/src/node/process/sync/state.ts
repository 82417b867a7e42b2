import type { Container, Pod } from "pintle/kinds/core/v1";
import type { BackOff } from "./back-off.ts";

/** One run of a container that is over. Times are milliseconds since 1970. */
export interface Ended {
  readonly id: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Where a container stands. */
export type Standing =
  /** It has not been tried. */
  | { readonly at: "none" }
  /** It cannot be made: no image, no such ConfigMap. Tried again at a time. */
  | { readonly at: "blocked"; readonly reason: string; readonly message: string; readonly retryAt: number }
  | { readonly at: "creating" }
  | {
      readonly at: "running";
      readonly id: string;
      readonly startedAt: number;
      /** Its startup probe and its postStart hook are through. */
      readonly started: boolean;
      readonly ready: boolean;
      readonly stopping: boolean;
    }
  | { readonly at: "ended"; readonly ended: Ended };

export interface ContainerState {
  readonly standing: Standing;
  readonly restarts: number;
  /** The run before the one that stands here. */
  readonly last?: Ended | undefined;
  readonly backOff?: BackOff | undefined;
  readonly imageId?: string | undefined;
}

export interface PodState {
  readonly containers: Readonly<Record<string, ContainerState>>;
  /** What holds the pod's address and volumes. */
  readonly sandbox: "none" | "making" | "ready" | "gone";
  /** Why the node ended the pod, where it did. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}

const FRESH: ContainerState = { standing: { at: "none" }, restarts: 0 };

export const stateOf = (state: PodState, { name }: { readonly name: string }): ContainerState => state.containers[name] ?? FRESH;

/** The same with another standing of one container. */
export function withContainer(state: PodState, name: string, change: (container: ContainerState) => ContainerState): PodState {
  return { ...state, containers: { ...state.containers, [name]: change(stateOf(state, { name })) } };
}

/** An init container that goes on running beside the others. */
export const isSidecar = ({ restartPolicy }: Container) => restartPolicy === "Always";

/** What the kubelet of before knew, from what it last said: its processes are gone. */
export function recovered(pod: Pod, now: number): PodState {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  const sidecars = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const ran = new Set(initContainerStatuses.map(({ name }) => name));
  const containers: Record<string, ContainerState> = {};
  for (const status of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]) {
    const { running, terminated } = status.state ?? {};
    const last = endedOf(status.lastState?.terminated);
    const common = { restarts: status.restartCount, last, imageId: status.imageID };
    if (running !== undefined) {
      const startedAt = Date.parse(running.startedAt ?? "") || now;
      const ended = { id: status.containerID ?? "", exitCode: 255, reason: "Unknown", startedAt, finishedAt: now };
      containers[status.name] = { ...common, standing: { at: "ended", ended } };
    } else if (terminated !== undefined) {
      const ended = endedOf(terminated)!;
      // The sandbox is a new one: what prepared the old one runs again.
      const again = ran.has(status.name) && !sidecars.has(status.name) && !isOver(pod);
      containers[status.name] = again
        ? { ...common, restarts: status.restartCount + 1, last: ended, standing: { at: "none" } }
        : { ...common, standing: { at: "ended", ended } };
    } else if (last !== undefined) containers[status.name] = { ...common, last: undefined, standing: { at: "ended", ended: last } };
  }
  const { reason, message = "" } = pod.status;
  const failure = isOver(pod) && reason !== undefined ? { failure: { reason, message } } : {};
  return { containers, sandbox: isOver(pod) ? "gone" : "none", ...failure };
}

export const isOver = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";

function endedOf(
  terminated: NonNullable<NonNullable<Pod["status"]["containerStatuses"]>[number]["state"]>["terminated"],
): Ended | undefined {
  if (terminated === undefined) return undefined;
  const { containerID = "", exitCode, reason = "Error", message, startedAt, finishedAt } = terminated;
  const at = (time: string | undefined) => Date.parse(time ?? "") || 0;
  return { id: containerID, exitCode, reason, message, startedAt: at(startedAt), finishedAt: at(finishedAt) };
}
