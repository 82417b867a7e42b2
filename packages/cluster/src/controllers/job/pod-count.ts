import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { type CompletionIndexes, parseIndexes } from "./completion-indexes.ts";
import { matchPodFailurePolicy } from "./failure-policy.ts";
import { FAILURE_COUNT_ANNOTATION, getCompletionIndex, hasPodFailed, hasTrackingFinalizer, isIndexed } from "./job-pods.ts";

/** The number of finished pods: those counted before, and those to be counted now. */
export interface JobPodCount {
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: CompletionIndexes;
  readonly failedIndexes: CompletionIndexes;
  /** Finished pods with the tracking finalizer, which is removed once they are counted. */
  readonly uncounted: readonly Pod[];
  /** The uids by which the counts grow. */
  readonly newSucceeded: readonly string[];
  readonly newFailed: readonly string[];
}

/** Counts every finished pod once. Pure. */
export function countJobPods(job: Job, pods: readonly Pod[]): JobPodCount {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted, completedIndexes, failedIndexes } = job.status;
  const recorded = new Set([...(uncounted?.succeeded ?? []), ...(uncounted?.failed ?? [])]);
  const finishedPods = pods.filter((pod) => hasTrackingFinalizer(pod) && (pod.status.phase === "Succeeded" || hasPodFailed(job, pod)));
  const unrecorded = finishedPods.filter(({ metadata }) => !recorded.has(metadata.uid));
  const succeededPods = unrecorded.filter(({ status }) => status.phase === "Succeeded");
  const failedPods = unrecorded.filter((pod) => pod.status.phase !== "Succeeded" && matchPodFailurePolicy(job, pod)?.action !== "Ignore");
  const succeededIndexes = new Set(parseIndexes(completedIndexes));
  if (isIndexed(job))
    for (const pod of succeededPods) if (isIndexInRange(job, getCompletionIndex(pod))) succeededIndexes.add(getCompletionIndex(pod)!);
  const lostIndexes = new Set(parseIndexes(failedIndexes));
  if (job.spec.backoffLimitPerIndex !== undefined) {
    for (const pod of pods.filter((each) => hasPodFailed(job, each))) {
      const index = getCompletionIndex(pod);
      if (isIndexInRange(job, index) && !succeededIndexes.has(index!) && isIndexExhausted(job, pod)) lostIndexes.add(index!);
    }
  }
  return {
    succeeded: isIndexed(job) ? succeededIndexes.size : succeeded + (uncounted?.succeeded?.length ?? 0) + succeededPods.length,
    failed: failed + (uncounted?.failed?.length ?? 0) + failedPods.length,
    succeededIndexes,
    failedIndexes: lostIndexes,
    uncounted: finishedPods,
    newSucceeded: isIndexed(job) ? [] : succeededPods.map(({ metadata }) => metadata.uid),
    newFailed: failedPods.map(({ metadata }) => metadata.uid),
  };
}

const isIndexInRange = ({ spec }: Job, index: number | undefined) => index !== undefined && index < (spec.completions ?? 0);

/** Returns the number of failures of the index before this pod. */
export const getIndexFailures = ({ metadata }: Pod) => Number(metadata.annotations?.[FAILURE_COUNT_ANNOTATION] ?? 0);

/** Returns whether the index fails for good with this pod. */
function isIndexExhausted(job: Job, pod: Pod): boolean {
  const match = matchPodFailurePolicy(job, pod);
  if (match?.action === "FailIndex") return true;
  return match?.action !== "Ignore" && getIndexFailures(pod) >= (job.spec.backoffLimitPerIndex ?? 0);
}
