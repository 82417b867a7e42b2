import type { Container } from "pintle/kinds/core/v1";
import { type ContainerRunHandlers, runContainer } from "../container/container-run.ts";
import { type ContainerTermination, stopContainer } from "../container/stop-container.ts";
import { increaseBackOff } from "../pod-sync/back-off.ts";
import { type ContainerState, getContainerState, updateContainerState } from "../pod-sync/pod-state.ts";
import { recordEvent } from "../record-event.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { getGracePeriod, type PodRecord } from "./pod-record.ts";
import type { SandboxManager } from "./sandbox-manager.ts";

/** Starts and kills the containers of a pod, and keeps their state. */
export interface ContainerManager {
  readonly running: ReadonlyMap<string, RunningContainer>;
  start(container: Container): void;
  /** Kills a container after the grace period of the pod. */
  stop(container: Container): void;
  /** Restarts the containers whose image, their only mutable field, changed. */
  restartChanged(): void;
  /** Applies a shortened grace period of the pod to the containers that are being stopped. */
  shortenGracePeriods(): void;
  /** Stops all containers that are not being stopped yet, and shortens the grace period of the others. Milliseconds. */
  stopAll(gracePeriod: number): void;
  /** Records an event for a container in back-off, once per restart. */
  recordBackOff(container: Container): void;
}

export function createContainerManager(record: PodRecord, sandboxes: SandboxManager): ContainerManager {
  const { context, folder } = record;
  const { clock } = context;
  const running = new Map<string, RunningContainer>();
  const stopping = new Map<string, ContainerTermination>();
  const reportedBackOffs = new Set<string>();
  /** The image of each container's last start. */
  const startedImages = new Map<string, string | undefined>();

  const updateContainer = ({ name }: Container, change: (state: ContainerState) => ContainerState) => {
    record.state = updateContainerState(record.state, name, change);
    if (!record.closed.aborted) record.enqueue();
  };
  const kill = (container: Container, gracePeriod: number) => {
    const { name } = container;
    const killed = running.get(name);
    if (killed === undefined || stopping.has(name)) return;
    updateContainer(container, (state) =>
      state.runState.phase === "running" ? { ...state, runState: { ...state.runState, stopping: true, ready: false } } : state,
    );
    stopping.set(name, stopContainer(context, record.pod, killed, gracePeriod));
  };
  const restart = (container: Container) => {
    const { name, image } = container;
    const { phase } = getContainerState(record.state, container).runState;
    // Checked again once it runs.
    if (phase === "creating") return;
    startedImages.set(name, image);
    context.pullBackOffs.delete(`${record.pod.metadata.uid} ${name}`);
    if (phase === "running") {
      const message = `Container ${name} definition changed, will be restarted`;
      recordEvent(context, record.pod, container, { type: "Normal", reason: "Killing", message });
      kill(container, getGracePeriod(record.pod));
    }
    updateContainer(container, (state) => ({
      ...state,
      backOff: undefined,
      ...(phase === "blocked" ? { runState: { phase: "none" } } : {}),
    }));
  };

  return {
    running,
    start(container) {
      const { name, image } = container;
      const now = clock.now();
      startedImages.set(name, image);
      updateContainer(container, (state) => beginRun(state, now));
      const run = getContainerState(record.state, container).restarts;
      const podContext = { folder, sandbox: sandboxes.sandbox!, hostFiles: sandboxes.hostFiles };
      const handlers: ContainerRunHandlers = {
        updateState: (change) => updateContainer(container, change),
        isStopping: () => stopping.has(name),
        onStarted: (started) => running.set(name, started),
        onExit: () => {
          running.delete(name);
          stopping.delete(name);
        },
        kill: (gracePeriod) => kill(container, gracePeriod),
      };
      record.tasks.add(runContainer(context, record.pod, container, podContext, run, handlers, record.closed), (error) =>
        updateContainer(container, (state) => failRun(state, error, now, clock.now())),
      );
    },
    stop(container) {
      const message = `Stopping container ${container.name}`;
      recordEvent(context, record.pod, container, { type: "Normal", reason: "Killing", message });
      kill(container, getGracePeriod(record.pod));
    },
    restartChanged() {
      for (const container of record.pod.spec.containers) {
        const { name, image } = container;
        if (startedImages.has(name) && startedImages.get(name) !== image) restart(container);
      }
    },
    shortenGracePeriods() {
      for (const termination of stopping.values()) termination.shortenGracePeriod(getGracePeriod(record.pod));
    },
    stopAll(gracePeriod) {
      for (const { spec } of running.values()) {
        stopping.get(spec.name)?.shortenGracePeriod(gracePeriod);
        kill(spec, gracePeriod);
      }
    },
    recordBackOff(container) {
      const { name, namespace, uid } = record.pod.metadata;
      const key = `${container.name} ${getContainerState(record.state, container).restarts}`;
      if (reportedBackOffs.has(key)) return;
      reportedBackOffs.add(key);
      const message = `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`;
      recordEvent(context, record.pod, container, { type: "Warning", reason: "BackOff", message });
    },
  };
}

/** Returns the state of a container that starts. A restart is counted and increases the back-off. */
function beginRun(state: ContainerState, now: number): ContainerState {
  const { runState, restarts, backOff } = state;
  if (runState.phase !== "ended") return { ...state, runState: { phase: "creating" } };
  return {
    ...state,
    runState: { phase: "creating" },
    restarts: restarts + 1,
    lastTermination: runState.termination,
    backOff: increaseBackOff(backOff, now),
  };
}

/** Returns the state of a container whose run the node could not follow to its end, as the kubelet reports a lost container. */
function failRun(state: ContainerState, error: unknown, startedAt: number, finishedAt: number): ContainerState {
  const message = error instanceof Error ? error.message : String(error);
  const termination = { id: "", exitCode: 137, reason: "ContainerStatusUnknown", message, startedAt, finishedAt };
  return { ...state, runState: { phase: "ended", termination } };
}
