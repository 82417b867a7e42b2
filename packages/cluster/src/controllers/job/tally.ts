import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { failurePolicy } from "./failure-policy.ts";
import { type Indexes, parseIndexes } from "./indexes.ts";
import { FAILURES, hasFailed, indexOf, isIndexed, isTracked } from "./pod-facts.ts";

/** How many pods have ended in which way: what was counted before, and what is to be counted now. */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: Indexes;
  readonly failedIndexes: Indexes;
  /** Pods that ended and still carry the finalizer: they are let go once they are counted. */
  readonly ended: readonly Pod[];
  /** Of those, the ones by which the counts grow, by uid. */
  readonly newSucceeded: readonly string[];
  readonly newFailed: readonly string[];
}

/** Counts every pod once. Pure. */
export function tally(job: Job, pods: readonly Pod[]): Tally {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted, completedIndexes, failedIndexes } = job.status;
  const seen = new Set([...(uncounted?.succeeded ?? []), ...(uncounted?.failed ?? [])]);
  const ended = pods.filter((pod) => isTracked(pod) && (pod.status.phase === "Succeeded" || hasFailed(job, pod)));
  const fresh = ended.filter(({ metadata }) => !seen.has(metadata.uid));
  const good = fresh.filter(({ status }) => status.phase === "Succeeded");
  const bad = fresh.filter((pod) => pod.status.phase !== "Succeeded" && failurePolicy(job, pod)?.action !== "Ignore");
  const succeededIndexes = new Set(parseIndexes(completedIndexes));
  if (isIndexed(job)) for (const pod of good) if (isWithin(job, indexOf(pod))) succeededIndexes.add(indexOf(pod)!);
  const lostIndexes = new Set(parseIndexes(failedIndexes));
  if (job.spec.backoffLimitPerIndex !== undefined) {
    for (const pod of pods.filter((each) => hasFailed(job, each))) {
      const index = indexOf(pod);
      if (isWithin(job, index) && !succeededIndexes.has(index!) && isLast(job, pod)) lostIndexes.add(index!);
    }
  }
  return {
    succeeded: isIndexed(job) ? succeededIndexes.size : succeeded + (uncounted?.succeeded?.length ?? 0) + good.length,
    failed: failed + (uncounted?.failed?.length ?? 0) + bad.length,
    succeededIndexes,
    failedIndexes: lostIndexes,
    ended,
    newSucceeded: isIndexed(job) ? [] : good.map(({ metadata }) => metadata.uid),
    newFailed: bad.map(({ metadata }) => metadata.uid),
  };
}

const isWithin = ({ spec }: Job, index: number | undefined) => index !== undefined && index < (spec.completions ?? 0);

/** How often the index had failed before this pod. */
export const failuresBefore = ({ metadata }: Pod) => Number(metadata.annotations?.[FAILURES] ?? 0);

/** The index is given up with this pod. */
function isLast(job: Job, pod: Pod): boolean {
  const match = failurePolicy(job, pod);
  if (match?.action === "FailIndex") return true;
  return match?.action !== "Ignore" && failuresBefore(pod) >= (job.spec.backoffLimitPerIndex ?? 0);
}
