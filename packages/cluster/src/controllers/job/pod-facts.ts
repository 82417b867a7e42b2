import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";

export const TRACKING = "batch.kubernetes.io/job-tracking";
export const INDEX = "batch.kubernetes.io/job-completion-index";
export const FAILURES = "batch.kubernetes.io/job-index-failure-count";

export const isIndexed = ({ spec }: Job) => spec.completionMode === "Indexed";
export const isTracked = ({ metadata }: Pod) => metadata.finalizers?.includes(TRACKING) === true;
export const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
export const isOver = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";

/** Pods on their way out count as failed, unless the job waits to see how they end. */
export function hasFailed({ spec }: Job, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  const waits = (spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed")) === "Failed";
  return !waits && isGoing(pod) && pod.status.phase !== "Succeeded";
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** When a pod ended: with its last container. Milliseconds. */
export function endOf({ status, metadata }: Pod, now: number): number {
  const times = (status.containerStatuses ?? []).flatMap(({ state }) =>
    state?.terminated?.finishedAt === undefined ? [] : [Date.parse(state.terminated.finishedAt)],
  );
  if (times.length > 0) return Math.max(...times);
  return metadata.deletionTimestamp === undefined ? now : Date.parse(metadata.deletionTimestamp);
}
