import type { Pod, PodStatus } from "pintle/kinds/core/v1";
import { behaviourOf, ENDS_AFTER, exitCodeOf, READY_AFTER, waitOf } from "./behaviour.ts";
import { crashedStatus, endedStatus, type Placement, pullFailedStatus, runningStatus, startingStatus } from "./pod-status.ts";

/** What is said about a pod's container while it goes through a stage. */
export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string | undefined;
}

/** One step in the life of a simulated pod. The first stage of the table whose `when` holds is the pod's next. */
export interface Stage {
  readonly name: string;
  when(pod: Pod): boolean;
  /** Milliseconds a pod waits in front of it, and up to how much longer by chance. */
  delay?(pod: Pod): number;
  readonly jitter?: number | undefined;
  /** The pod's status after it; undefined: the pod is gone. Times that are already set stay. Pure. */
  next(pod: Pod, place: Placement, now: string): PodStatus | undefined;
  says?(pod: Pod): readonly Said[];
}

const FIRST_BACKOFF = 10_000;
const LONGEST_BACKOFF = 300_000;

const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isPending = ({ status }: Pod) => (status.phase ?? "Pending") === "Pending";
const isRunning = ({ status }: Pod) => status.phase === "Running";
const restarts = ({ status }: Pod) => Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
const crashes = (pod: Pod) =>
  behaviourOf(pod) === "crash-loop" ||
  (behaviourOf(pod) === "fail" && pod.spec.restartPolicy !== "Never") ||
  (behaviourOf(pod) === "complete" && (pod.spec.restartPolicy ?? "Always") === "Always");
const waits = (pod: Pod) => pod.status.containerStatuses?.some(({ state }) => state?.waiting !== undefined) === true;

/** The life of a pod, from bound to gone. */
export const STAGES: readonly Stage[] = [
  {
    name: "stop",
    // Finalizers keep it a while: its containers end all the same.
    when: (pod) => isGoing(pod) && isRunning(pod) && (pod.metadata.finalizers?.length ?? 0) > 0,
    next: (pod, _, now) => endedStatus(pod, 143, now),
  },
  { name: "remove", when: isGoing, next: () => undefined },
  {
    name: "pull failed",
    when: (pod) => isPending(pod) && behaviourOf(pod) === "image-pull-error" && !waits(pod),
    next: pullFailedStatus,
    says: (pod) => pod.spec.containers.flatMap(pullFailed),
  },
  {
    name: "start",
    when: (pod) => isPending(pod) && behaviourOf(pod) !== "image-pull-error" && waitOf(pod, READY_AFTER) > 0,
    next: startingStatus,
    says: containersStarted,
  },
  {
    name: "run",
    when: (pod) => isPending(pod) && behaviourOf(pod) !== "image-pull-error",
    next: (pod, place, now) => runningStatus(pod, place, now),
    says: containersStarted,
  },
  {
    name: "become ready",
    when: (pod) =>
      isRunning(pod) &&
      waitOf(pod, READY_AFTER) > 0 &&
      behaviourOf(pod) !== "never-ready" &&
      pod.status.containerStatuses?.some(({ ready, state }) => !ready && state?.running !== undefined) === true,
    delay: (pod) => waitOf(pod, READY_AFTER),
    next: (pod, place, now) => runningStatus(pod, place, now),
  },
  {
    name: "crash",
    when: (pod) => isRunning(pod) && crashes(pod) && !waits(pod),
    delay: (pod) => waitOf(pod, ENDS_AFTER),
    next: (pod, _, now) => crashedStatus(pod, behaviourOf(pod) === "complete" ? 0 : exitCodeOf(pod), now),
    says: (pod) =>
      pod.spec.containers.map(({ name }) => ({
        type: "Warning",
        reason: "BackOff",
        message: `Back-off restarting failed container ${name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        container: name,
      })),
  },
  {
    name: "restart",
    when: (pod) => isRunning(pod) && crashes(pod) && waits(pod),
    delay: (pod) => Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** restarts(pod)),
    next: (pod, place, now) => runningStatus(pod, place, now, restarts(pod) + 1),
    says: containersStarted,
  },
  {
    name: "end",
    when: (pod) => isRunning(pod) && !crashes(pod) && (behaviourOf(pod) === "complete" || behaviourOf(pod) === "fail"),
    delay: (pod) => waitOf(pod, ENDS_AFTER),
    next: (pod, _, now) => endedStatus(pod, behaviourOf(pod) === "fail" ? exitCodeOf(pod) : 0, now),
  },
];

export function stageOf(pod: Pod, stages: readonly Stage[]): Stage | undefined {
  return stages.find((stage) => stage.when(pod));
}

function containersStarted(pod: Pod): readonly Said[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(({ name, image }) => [
    { type: "Normal", reason: "Pulled", message: `Container image "${image}" already present on machine`, container: name },
    { type: "Normal", reason: "Created", message: "Container created", container: name },
    { type: "Normal", reason: "Started", message: "Container started", container: name },
  ]);
}

function pullFailed({ name, image }: Pod["spec"]["containers"][number]): readonly Said[] {
  const why = `failed to pull and unpack image "${image}": not found`;
  return [
    { type: "Normal", reason: "Pulling", message: `Pulling image "${image}"`, container: name },
    { type: "Warning", reason: "Failed", message: `Failed to pull image "${image}": ${why}`, container: name },
    { type: "Warning", reason: "Failed", message: "Error: ErrImagePull", container: name },
    { type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"`, container: name },
    { type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff", container: name },
  ];
}
