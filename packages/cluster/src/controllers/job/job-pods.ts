import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isPodTerminating } from "../shared/pod-readiness.ts";

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
export const FAILURE_COUNT_ANNOTATION = "batch.kubernetes.io/job-index-failure-count";

export const isIndexed = ({ spec }: Job) => spec.completionMode === "Indexed";
export const hasTrackingFinalizer = ({ metadata }: Pod) => metadata.finalizers?.includes(TRACKING_FINALIZER) === true;

/** Returns whether a pod counts as failed. Terminating pods do, unless the Job waits for their result. */
export function hasPodFailed({ spec }: Job, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  const waitsForResult =
    (spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed")) === "Failed";
  return !waitsForResult && isPodTerminating(pod) && pod.status.phase !== "Succeeded";
}

export function getCompletionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_ANNOTATION];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** Returns when the last container of a pod finished. Milliseconds. */
export function getFinishTime({ status, metadata }: Pod, now: number): number {
  const times = (status.containerStatuses ?? []).flatMap(({ state }) =>
    state?.terminated?.finishedAt === undefined ? [] : [Date.parse(state.terminated.finishedAt)],
  );
  if (times.length > 0) return Math.max(...times);
  return metadata.deletionTimestamp === undefined ? now : Date.parse(metadata.deletionTimestamp);
}
