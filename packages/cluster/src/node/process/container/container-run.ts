import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { rejectOnAbort } from "pintle/internal/clock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { Container, LifecycleHandler, Pod, Probe } from "pintle/kinds/core/v1";
import { ContainerConfigError } from "../environment/config-sources.ts";
import { removeFolder } from "../host/remove-folder.ts";
import { ImagePullError } from "../image/image-manager.ts";
import type { NodeContext } from "../node-context.ts";
import type { ContainerState } from "../pod-sync/pod-state.ts";
import { createProber, type ProbeKind, type Prober } from "../probe/prober.ts";
import { runProbe } from "../probe/probes.ts";
import { recordEvent } from "../record-event.ts";
import type { ProcessExit } from "../runtime/process.ts";
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

/** One run of a container: what its steps share. */
interface ContainerRun {
  readonly context: NodeContext;
  readonly pod: Pod;
  readonly container: Container;
  readonly podContext: PodSandboxContext;
  readonly number: number;
  readonly id: string;
  readonly events: ContainerRunHandlers;
  readonly record: EventFunction;
  /** Once it aborts, nothing is started any more. */
  readonly closed: AbortSignal;
}

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
  const record: EventFunction = (type, reason, message) => recordEvent(context, pod, container, { type, reason, message });
  const id = `process://${createHash("sha256").update(`${pod.metadata.uid} ${container.name} ${runNumber}`).digest("hex")}`;
  const run: ContainerRun = { context, pod, container, podContext, number: runNumber, id, events, record, closed };
  const running = await startRun(run);
  if (running === undefined) return;
  events.onStarted(running);
  if (closed.aborted) running.process.signalAll("SIGKILL");
  record("Normal", "Created", "Container created");
  record("Normal", "Started", "Container started");
  const startedAt = context.clock.now();
  const probes = startProbes(run, running, startedAt);
  const exit = await running.exit;
  probes.stop();
  events.onExit();
  await recordExit(run, running, exit, startedAt);
}

/** Pulls the image and starts the container. Returns undefined if that fails, after it has reported why in the state and as Events. */
async function startRun(run: ContainerRun): Promise<RunningContainer | undefined> {
  const { context, pod, container, podContext, number, id, events, record, closed } = run;
  const { clock } = context;
  const createdAt = clock.now();
  try {
    const image = await rejectOnAbort(pullImage(context, container, record), closed);
    events.updateState((state) => ({ ...state, imageId: image.id }));
    const slow = context.faults.startDelays.get(container.image ?? "") ?? 0;
    if (slow > 0) await clock.sleep(slow, closed);
    closed.throwIfAborted();
    return await startContainer(context, pod, container, image, podContext, { id, number });
  } catch (error) {
    if (!closed.aborted) handleStartFailure(run, error, createdAt);
    return undefined;
  }
}

function handleStartFailure({ context, pod, container, id, events, record }: ContainerRun, error: unknown, createdAt: number): void {
  const { clock } = context;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ImagePullError) handlePullFailure(context, pod, container, error, events, record);
  else if (error instanceof ContainerStartError) {
    record("Normal", "Created", "Container created");
    record("Warning", "Failed", `Error: ${message}`);
    const termination = { id, exitCode: 128, reason: "StartError", message, startedAt: createdAt, finishedAt: clock.now() };
    events.updateState((state) => ({ ...state, runState: { phase: "ended", termination } }));
  } else {
    record("Warning", "Failed", `Error: ${message}`);
    const reason = error instanceof ContainerConfigError ? "CreateContainerConfigError" : "CreateContainerError";
    const retryAt = clock.now() + CREATE_RETRY_DELAY;
    events.updateState((state) => ({ ...state, runState: { phase: "blocked", reason, message, retryAt } }));
  }
}

/** Sets the state of a container that has started, and runs its postStart hook and its probes. */
function startProbes(run: ContainerRun, running: RunningContainer, startedAt: number): Prober {
  const { context, pod, container, id, events, record } = run;
  const { lifecycle = {}, startupProbe, readinessProbe } = container;
  const setReady = (change: { readonly started?: boolean; readonly ready?: boolean }) =>
    events.updateState((state) =>
      state.runState.phase === "running" && !state.runState.stopping ? { ...state, runState: { ...state.runState, ...change } } : state,
    );
  const probes = createProber({
    container,
    clock: context.clock,
    runProbe: (probe: Probe) => runProbe(probe, running, context.guard),
    onFailure: (kind: ProbeKind, failure: string) => {
      if (!events.isStopping()) record("Warning", "Unhealthy", `${kind} probe failed: ${failure}`);
    },
    onResult: (kind: ProbeKind, result: boolean) => {
      if (kind === "Readiness") setReady({ ready: result });
      else if (kind === "Startup" && result) onContainerStarted();
      else if (!result && !events.isStopping()) {
        const probe = kind === "Startup" ? startupProbe : container.livenessProbe;
        record("Normal", "Killing", `Container ${container.name} failed ${kind.toLowerCase()} probe, will be restarted`);
        events.kill((probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
      }
    },
  });
  const onContainerStarted = () => {
    setReady({ started: true, ...(readinessProbe === undefined ? { ready: true } : {}) });
    probes.startProbes();
  };
  const mustWait = startupProbe !== undefined || lifecycle.postStart !== undefined;
  events.updateState((state) => ({
    ...state,
    runState: { phase: "running", id, startedAt, started: !mustWait, ready: !mustWait && readinessProbe === undefined, stopping: false },
  }));
  const runPostStartHook = async (hook: LifecycleHandler) => {
    const failure = await runLifecycleHook(context, hook, running, HOOK_TIMEOUT);
    if (failure !== undefined) {
      record("Warning", "FailedPostStartHook", `PostStartHook failed: ${failure}`);
      record("Normal", "Killing", "FailedPostStartHook");
      return events.kill((pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
    }
    if (startupProbe === undefined) onContainerStarted();
  };
  if (lifecycle.postStart !== undefined) runInBackground(runPostStartHook(lifecycle.postStart));
  else if (!mustWait) probes.startProbes();
  return probes;
}

/** Deletes what the run no longer needs, and sets the state to its termination. */
async function recordExit(run: ContainerRun, running: RunningContainer, exit: ProcessExit, startedAt: number): Promise<void> {
  const { context, container, podContext, number, id, events } = run;
  const oom = context.oomKilled.delete(id);
  const reason = oom ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error";
  const message = await running.readTerminationMessage(exit);
  // The writable layer is deleted; the log is kept until two runs later, for `kubectl logs --previous`. What is left is deleted with the pod.
  await removeFolder(running.launch.folder).catch(ignoreError);
  await rm(getLogPath(podContext.folder, container.name, number - 2), { force: true }).catch(ignoreError);
  const termination = { id, exitCode: exit.code, reason, message, startedAt, finishedAt: context.clock.now() };
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
