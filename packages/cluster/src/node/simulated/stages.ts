import type { Pod, PodStatus } from "pintle/kinds/core/v1";
import {
  describeUnknownBehaviour,
  ENDS_AFTER_ANNOTATION,
  getBehaviour,
  getDelay,
  getExitCode,
  READY_AFTER_ANNOTATION,
} from "./behaviour.ts";
import {
  buildCrashedStatus,
  buildEndedStatus,
  buildPullFailedStatus,
  buildRunningStatus,
  buildStartingStatus,
  buildUpdatedStatus,
  isStatusOutdated,
  listReplacedContainers,
  type PodPlacement,
} from "./pod-status.ts";

/** An event that is recorded when a pod enters a stage. */
export interface StageEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string | undefined;
}

/** A stage in the life of a simulated pod. The first stage whose `when` returns true is the next one. */
export interface PodStage {
  readonly name: string;
  when(pod: Pod): boolean;
  /** The delay before the stage in milliseconds, and the maximum of a random addition. */
  delay?(pod: Pod): number;
  readonly jitter?: number | undefined;
  /** Returns the status after the stage; undefined deletes the pod. Timestamps that are set stay. Pure. */
  next(pod: Pod, placement: PodPlacement, now: string): PodStatus | undefined;
  events?(pod: Pod): readonly StageEvent[];
}

const INITIAL_BACKOFF = 10_000;
const MAX_BACKOFF = 300_000;

const isTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isPending = ({ status }: Pod) => (status.phase ?? "Pending") === "Pending";
const isRunning = ({ status }: Pod) => status.phase === "Running";
const getRestartCount = ({ status }: Pod) => Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
const isCrashing = (pod: Pod) =>
  getBehaviour(pod) === "crash-loop" ||
  (getBehaviour(pod) === "fail" && pod.spec.restartPolicy !== "Never") ||
  (getBehaviour(pod) === "complete" && (pod.spec.restartPolicy ?? "Always") === "Always");
const isWaiting = (pod: Pod) => pod.status.containerStatuses?.some(({ state }) => state?.waiting !== undefined) === true;

/** The stages from binding to deletion. */
export const DEFAULT_STAGES: readonly PodStage[] = [
  {
    name: "stop",
    // The containers end even if finalizers delay the deletion.
    when: (pod) => isTerminating(pod) && isRunning(pod) && (pod.metadata.finalizers?.length ?? 0) > 0,
    next: (pod, _, now) => buildEndedStatus(pod, 143, now),
  },
  { name: "remove", when: isTerminating, next: () => undefined },
  {
    name: "pull failed",
    when: (pod) => isPending(pod) && getBehaviour(pod) === "image-pull-error" && !isWaiting(pod),
    next: buildPullFailedStatus,
    events: (pod) => pod.spec.containers.flatMap(buildPullFailedEvents),
  },
  {
    name: "start",
    when: (pod) => isPending(pod) && getBehaviour(pod) !== "image-pull-error" && getDelay(pod, READY_AFTER_ANNOTATION) > 0,
    next: buildStartingStatus,
    events: buildStartedEvents,
  },
  {
    name: "run",
    when: (pod) => isPending(pod) && getBehaviour(pod) !== "image-pull-error",
    next: (pod, placement, now) => buildRunningStatus(pod, placement, now),
    events: buildStartedEvents,
  },
  {
    name: "update",
    when: (pod) => isRunning(pod) && !isWaiting(pod) && isStatusOutdated(pod),
    next: (pod, _, now) => buildUpdatedStatus(pod, now, getBehaviour(pod) !== "never-ready" && getDelay(pod, READY_AFTER_ANNOTATION) === 0),
    events: (pod) =>
      listReplacedContainers(pod).flatMap((container) => [
        {
          type: "Normal",
          reason: "Killing",
          message: `Container ${container.name} definition changed, will be restarted`,
          container: container.name,
        },
        ...buildContainerStartedEvents(container),
      ]),
  },
  {
    name: "become ready",
    when: (pod) =>
      isRunning(pod) &&
      getDelay(pod, READY_AFTER_ANNOTATION) > 0 &&
      getBehaviour(pod) !== "never-ready" &&
      pod.status.containerStatuses?.some(({ ready, state }) => !ready && state?.running !== undefined) === true,
    delay: (pod) => getDelay(pod, READY_AFTER_ANNOTATION),
    next: (pod, placement, now) => buildRunningStatus(pod, placement, now),
  },
  {
    name: "crash",
    when: (pod) => isRunning(pod) && isCrashing(pod) && !isWaiting(pod),
    delay: (pod) => getDelay(pod, ENDS_AFTER_ANNOTATION),
    next: (pod, _, now) => buildCrashedStatus(pod, getBehaviour(pod) === "complete" ? 0 : getExitCode(pod), now),
    events: (pod) =>
      pod.spec.containers.map(({ name }) => ({
        type: "Warning",
        reason: "BackOff",
        message: `Back-off restarting failed container ${name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        container: name,
      })),
  },
  {
    name: "restart",
    when: (pod) => isRunning(pod) && isCrashing(pod) && isWaiting(pod),
    delay: (pod) => Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** getRestartCount(pod)),
    next: (pod, placement, now) => buildRunningStatus(pod, placement, now, getRestartCount(pod) + 1),
    events: buildStartedEvents,
  },
  {
    name: "end",
    when: (pod) => isRunning(pod) && !isCrashing(pod) && (getBehaviour(pod) === "complete" || getBehaviour(pod) === "fail"),
    delay: (pod) => getDelay(pod, ENDS_AFTER_ANNOTATION),
    next: (pod, _, now) => buildEndedStatus(pod, getBehaviour(pod) === "fail" ? getExitCode(pod) : 0, now),
  },
];

export function findStage(pod: Pod, stages: readonly PodStage[]): PodStage | undefined {
  return stages.find((stage) => stage.when(pod));
}

function buildStartedEvents(pod: Pod): readonly StageEvent[] {
  const mistake = describeUnknownBehaviour(pod);
  const warnings: readonly StageEvent[] = mistake === undefined ? [] : [{ type: "Warning", reason: "UnknownBehaviour", message: mistake }];
  return [...warnings, ...[...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(buildContainerStartedEvents)];
}

function buildContainerStartedEvents({ name, image }: Pod["spec"]["containers"][number]): readonly StageEvent[] {
  return [
    { type: "Normal", reason: "Pulled", message: `Container image "${image}" already present on machine`, container: name },
    { type: "Normal", reason: "Created", message: "Container created", container: name },
    { type: "Normal", reason: "Started", message: "Container started", container: name },
  ];
}

function buildPullFailedEvents({ name, image }: Pod["spec"]["containers"][number]): readonly StageEvent[] {
  const reason = `failed to pull and unpack image "${image}": not found`;
  return [
    { type: "Normal", reason: "Pulling", message: `Pulling image "${image}"`, container: name },
    { type: "Warning", reason: "Failed", message: `Failed to pull image "${image}": ${reason}`, container: name },
    { type: "Warning", reason: "Failed", message: "Error: ErrImagePull", container: name },
    { type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"`, container: name },
    { type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff", container: name },
  ];
}
