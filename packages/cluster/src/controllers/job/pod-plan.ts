import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isPodFinished, isPodReady, isPodTerminating } from "../shared/pod-readiness.ts";
import { matchPodFailurePolicy } from "./failure-policy.ts";
import { getCompletionIndex, getFinishTime, hasPodFailed, isIndexed } from "./job-pods.ts";
import { getIndexFailures, type JobPodCount } from "./pod-count.ts";

/** A pod to create: its completion index and the number of earlier failures of that index. */
export interface PodRequest {
  readonly index?: number | undefined;
  readonly indexFailures?: number | undefined;
}

export interface JobPodPlan {
  readonly create: readonly PodRequest[];
  readonly remove: readonly Pod[];
  /** When more pods may be created, if a backoff delays them. Milliseconds since the epoch. */
  readonly nextPodAt: number | undefined;
}

/** Plans the pods to create and delete for a Job without an outcome. Pure. */
export function planJobPods(job: Job, pods: readonly Pod[], count: JobPodCount, now: number): JobPodPlan {
  const { spec } = job;
  const active = pods.filter((pod) => !isPodFinished(pod) && !isPodTerminating(pod));
  if (spec.suspend) return { create: [], remove: active, nextPodAt: undefined };
  const { parallelism = 1, completions } = spec;
  const desired =
    completions === undefined
      ? count.succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(completions - count.succeeded, parallelism));
  const duplicates = isIndexed(job) ? selectDuplicatePods(active, count, completions ?? 0) : [];
  const rest = active.filter((pod) => !duplicates.includes(pod)).sort(compareDeletionRank);
  const surplus = rest.slice(0, Math.max(0, rest.length - desired));
  const remove = [...duplicates, ...surplus];
  if (remove.length > 0) return { create: [], remove, nextPodAt: undefined };

  // Terminating pods occupy their slot if the Job waits for their result.
  const terminating = pods.filter((pod) => isPodTerminating(pod) && !isPodFinished(pod) && !hasPodFailed(job, pod)).length;
  const missing = desired - active.length - terminating;
  if (missing <= 0) return { create: [], remove: [], nextPodAt: undefined };
  if (isIndexed(job) && spec.backoffLimitPerIndex !== undefined) return planPodsPerIndex(job, pods, active, count, missing, now);
  const at = getNextPodTime(job, pods, now);
  if (at > now) return { create: [], remove: [], nextPodAt: at };
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})), remove: [], nextPodAt: undefined };
  const indexes = listOpenIndexes(job, active, count).slice(0, missing);
  return { create: indexes.map((index) => ({ index })), remove: [], nextPodAt: undefined };
}

/** Plans the pods of an Indexed Job with a backoff per index. */
function planPodsPerIndex(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  count: JobPodCount,
  missing: number,
  now: number,
): JobPodPlan {
  const create: PodRequest[] = [];
  let nextPodAt: number | undefined;
  for (const index of listOpenIndexes(job, active, count)) {
    const failedPods = pods.filter((pod) => getCompletionIndex(pod) === index && hasPodFailed(job, pod));
    const counted = failedPods.filter((pod) => matchPodFailurePolicy(job, pod)?.action !== "Ignore");
    const indexFailures = counted.length === 0 ? 0 : Math.max(...counted.map(getIndexFailures)) + 1;
    const at = indexFailures === 0 ? 0 : addBackoff(Math.max(...counted.map((pod) => getFinishTime(pod, now))), indexFailures);
    if (at > now) nextPodAt = Math.min(nextPodAt ?? Number.POSITIVE_INFINITY, at);
    else if (create.length < missing) create.push({ index, indexFailures });
  }
  return { create, remove: [], nextPodAt };
}

function listOpenIndexes({ spec }: Job, active: readonly Pod[], { succeededIndexes, failedIndexes }: JobPodCount): readonly number[] {
  const occupied = new Set(active.map(getCompletionIndex));
  return Array.from({ length: spec.completions ?? 0 }, (_, i) => i).filter(
    (i) => !occupied.has(i) && !succeededIndexes.has(i) && !failedIndexes.has(i),
  );
}

/** Selects the pods of indexes that have finished, are out of range, or have another pod. */
function selectDuplicatePods(
  active: readonly Pod[],
  { succeededIndexes, failedIndexes }: JobPodCount,
  completions: number,
): readonly Pod[] {
  const occupied = new Set<number>();
  return [...active].sort(compareAge).filter((pod) => {
    const index = getCompletionIndex(pod);
    if (index === undefined || index >= completions || succeededIndexes.has(index) || failedIndexes.has(index) || occupied.has(index))
      return true;
    occupied.add(index);
    return false;
  });
}

const compareAge = (a: Pod, b: Pod) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);

/** Orders pods for deletion: unassigned, not running, not ready, newest first. */
function compareDeletionRank(a: Pod, b: Pod): number {
  const rankAssigned = ({ spec }: Pod) => (spec.nodeName ? 1 : 0);
  const rankRunning = ({ status }: Pod) => (status.phase === "Running" ? 1 : 0);
  return (
    rankAssigned(a) - rankAssigned(b) ||
    rankRunning(a) - rankRunning(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    -compareAge(a, b)
  );
}

const INITIAL_BACKOFF = 10_000;
const MAX_BACKOFF = 600_000;

/** Returns when the next pod may be created: after an exponential backoff since the last success. Milliseconds. Pure. */
function getNextPodTime(job: Job, pods: readonly Pod[], now: number): number {
  const ended = pods
    .filter((pod) => pod.status.phase === "Succeeded" || hasPodFailed(job, pod))
    .map((pod) => ({ at: getFinishTime(pod, now), good: pod.status.phase === "Succeeded" }))
    .sort((a, b) => a.at - b.at || Number(a.good) - Number(b.good));
  const sinceSuccess = ended.slice(ended.map(({ good }) => good).lastIndexOf(true) + 1);
  const last = sinceSuccess.at(-1);
  return last === undefined ? 0 : addBackoff(last.at, sinceSuccess.length);
}

function addBackoff(at: number, failures: number): number {
  return at + Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** (failures - 1));
}
