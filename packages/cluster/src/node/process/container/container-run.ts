import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { rejectOnAbort } from "pintle/internal/clock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { Container, Pod, Probe } from "pintle/kinds/core/v1";
import { ContainerConfigError } from "../environment/config-sources.ts";
import { removeFolder } from "../host/remove-folder.ts";
import { ImagePullError } from "../image/image-manager.ts";
import type { NodeContext } from "../node-context.ts";
import type { ContainerState } from "../pod-sync/pod-state.ts";
import { createProber, type ProbeKind } from "../probe/prober.ts";
import { runProbe } from "../probe/probes.ts";
import { recordEvent } from "../record-event.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { ContainerStartError, getLogPath, type PodSandboxContext, startContainer } from "./start-container.ts";
import { runLifecycleHook } from "./stop-container.ts";

/** The callbacks of a container run. */
export interface ContainerRunHandlers {
  updateState(change: (state: ContainerState) => ContainerState): void;
  isStopping(): boolean;
  onStarted(container: RunningContainer): void;
  onExit(): void;
  /** The container must be killed and restarted. */
  kill(grace: number): void;
}

const CREATE_RETRY_DELAY = 10_000;
const HOOK_TIMEOUT = 300_000;
const INITIAL_PULL_BACKOFF = 10_000;
const MAX_PULL_BACKOFF = 300_000;

/** Runs a container once, from the image pull to its exit, with lifecycle hooks and probes. Once `closed` aborts, nothing is started any more. */
export async function runContainer(
  context: NodeContext,
  pod: Pod,
  container: Container,
  podContext: PodSandboxContext,
  runNumber: number,
  events: ContainerRunHandlers,
  closed: AbortSignal,
): Promise<void> {
  const { clock, guard } = context;
  const recordContainerEvent = (type: "Normal" | "Warning", reason: string, message: string) =>
    recordEvent(context, pod, container, { type, reason, message });
  const id = `process://${createHash("sha256").update(`${pod.metadata.uid} ${container.name} ${runNumber}`).digest("hex")}`;
  const setBlocked = (reason: string, message: string, wait: number) =>
    events.updateState((state) => ({ ...state, runState: { phase: "blocked", reason, message, retryAt: clock.now() + wait } }));
  let running: RunningContainer;
  const createdAt = clock.now();
  try {
    const image = await rejectOnAbort(pullImage(context, container, recordContainerEvent), closed);
    events.updateState((state) => ({ ...state, imageId: image.id }));
    const slow = context.faults.startDelays.get(container.image ?? "") ?? 0;
    if (slow > 0) await clock.sleep(slow, closed);
    closed.throwIfAborted();
    running = await startContainer(context, pod, container, image, podContext, { id, number: runNumber });
  } catch (error) {
    if (closed.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ImagePullError) return handlePullFailure(context, pod, container, error, events, recordContainerEvent);
    if (error instanceof ContainerStartError) {
      recordContainerEvent("Normal", "Created", "Container created");
      recordContainerEvent("Warning", "Failed", `Error: ${message}`);
      const termination = { id, exitCode: 128, reason: "StartError", message, startedAt: createdAt, finishedAt: clock.now() };
      return events.updateState((state) => ({ ...state, runState: { phase: "ended", termination } }));
    }
    recordContainerEvent("Warning", "Failed", `Error: ${message}`);
    return setBlocked(
      error instanceof ContainerConfigError ? "CreateContainerConfigError" : "CreateContainerError",
      message,
      CREATE_RETRY_DELAY,
    );
  }
  events.onStarted(running);
  if (closed.aborted) running.process.signalAll("SIGKILL");
  recordContainerEvent("Normal", "Created", "Container created");
  recordContainerEvent("Normal", "Started", "Container started");
  const startedAt = clock.now();
  const { lifecycle = {}, startupProbe, readinessProbe } = container;
  const ready = (state: ContainerState, change: { readonly started?: boolean; readonly ready?: boolean }): ContainerState =>
    state.runState.phase === "running" && !state.runState.stopping ? { ...state, runState: { ...state.runState, ...change } } : state;
  const probes = createProber({
    container,
    clock,
    runProbe: (probe: Probe) => runProbe(probe, running, guard),
    onFailure: (kind: ProbeKind, failure: string) => {
      if (!events.isStopping()) recordContainerEvent("Warning", "Unhealthy", `${kind} probe failed: ${failure}`);
    },
    onResult: (kind: ProbeKind, result: boolean) => {
      if (kind === "Readiness") events.updateState((state) => ready(state, { ready: result }));
      else if (kind === "Startup" && result) onContainerStarted();
      else if (!result && !events.isStopping()) {
        const probe = kind === "Startup" ? startupProbe : container.livenessProbe;
        recordContainerEvent("Normal", "Killing", `Container ${container.name} failed ${kind.toLowerCase()} probe, will be restarted`);
        events.kill((probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
      }
    },
  });
  const onContainerStarted = () => {
    events.updateState((state) => ready(state, { started: true, ...(readinessProbe === undefined ? { ready: true } : {}) }));
    probes.startProbes();
  };
  const mustWait = startupProbe !== undefined || lifecycle.postStart !== undefined;
  events.updateState((state) => ({
    ...state,
    runState: { phase: "running", id, startedAt, started: !mustWait, ready: !mustWait && readinessProbe === undefined, stopping: false },
  }));
  const afterStart = async () => {
    if (lifecycle.postStart !== undefined) {
      const failure = await runLifecycleHook(context, lifecycle.postStart, running, HOOK_TIMEOUT);
      if (failure !== undefined) {
        recordContainerEvent("Warning", "FailedPostStartHook", `PostStartHook failed: ${failure}`);
        recordContainerEvent("Normal", "Killing", "FailedPostStartHook");
        return events.kill((pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
      }
      if (startupProbe === undefined) onContainerStarted();
    } else if (!mustWait) probes.startProbes();
  };
  runInBackground(afterStart());

  const exit = await running.exit;
  probes.stop();
  events.onExit();
  const oom = context.oomKilled.delete(id);
  const reason = oom ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error";
  const message = await running.readTerminationMessage(exit);
  // The writable layer is deleted; the log is kept until two runs later, for `kubectl logs --previous`. What is left is deleted with the pod.
  await removeFolder(running.launch.folder).catch(ignoreError);
  await rm(getLogPath(podContext.folder, container.name, runNumber - 2), { force: true }).catch(ignoreError);
  const termination = { id, exitCode: exit.code, reason, message, startedAt, finishedAt: clock.now() };
  events.updateState((state) => ({ ...state, runState: { phase: "ended", termination } }));
}

type EventFunction = (type: "Normal" | "Warning", reason: string, message: string) => void;

async function pullImage({ images }: NodeContext, container: Container, record: EventFunction) {
  const { image = "" } = container;
  if (images.requiresPull(container)) record("Normal", "Pulling", `Pulling image "${image}"`);
  const localImage = await images.ensureImageExists(container);
  const took = `${localImage.pull?.took ?? 0}ms`;
  const message =
    localImage.pull === undefined
      ? `Container image "${image}" already present on machine`
      : `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${localImage.pull.bytes} bytes.`;
  record("Normal", "Pulled", message);
  return localImage;
}

/** Reports the pull error first, and the back-off a moment later: clients can observe both. */
function handlePullFailure(
  context: NodeContext,
  pod: Pod,
  { name, image = "" }: Container,
  pullError: ImagePullError,
  events: ContainerRunHandlers,
  record: EventFunction,
): void {
  const { clock, pullBackOffs } = context;
  const key = `${pod.metadata.uid} ${name}`;
  const wait = Math.min(pullBackOffs.get(key) ?? INITIAL_PULL_BACKOFF, MAX_PULL_BACKOFF);
  pullBackOffs.set(key, wait * 2);
  const { reason, message } = pullError;
  record("Warning", "Failed", reason === "ErrImagePull" ? `Failed to pull image "${image}": ${message}` : `Error: ${reason}`);
  if (reason === "ErrImagePull") record("Warning", "Failed", "Error: ErrImagePull");
  const retryAt = clock.now() + wait;
  const setBlocked = (failure: string, text: string) =>
    events.updateState((state) =>
      state.runState.phase === "creating" || state.runState.phase === "blocked"
        ? { ...state, runState: { phase: "blocked", reason: failure, message: text, retryAt } }
        : state,
    );
  setBlocked(reason, message);
  if (reason !== "ErrImagePull") return;
  clock.setTimeout(() => {
    record("Normal", "BackOff", `Back-off pulling image "${image}"`);
    record("Warning", "Failed", "Error: ImagePullBackOff");
    setBlocked("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${message}`);
  }, wait / 5);
}
