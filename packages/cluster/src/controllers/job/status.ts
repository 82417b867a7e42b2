import type { Job, JobCondition, JobStatus } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isPodFinished, isPodReady, isPodTerminating } from "../shared/pod-readiness.ts";
import { formatIndexes } from "./completion-indexes.ts";
import { isIndexed } from "./job-pods.ts";
import type { JobOutcome } from "./outcome.ts";
import type { JobPodCount } from "./pod-count.ts";

/** Computes the status of a Job after all finished pods are counted. Pure. */
export function computeJobStatus(
  job: Job,
  pods: readonly Pod[],
  count: JobPodCount,
  outcome: JobOutcome | undefined,
  now: string,
): JobStatus {
  const active = pods.filter((pod) => !isPodFinished(pod) && !isPodTerminating(pod));
  const terminating = pods.filter((pod) => isPodTerminating(pod) && !isPodFinished(pod)).length;
  const { uncountedTerminatedPods: _, ...before } = job.status;
  const isFinishing = outcome !== undefined && active.length === 0 && terminating === 0;
  const finished = isFinishing && !hasTrueCondition(job.status, outcome.type === "FailureTarget" ? "Failed" : "Complete");
  let conditions = getSuspendConditions(job, now);
  if (outcome !== undefined) conditions = setCondition(conditions, { ...outcome, status: "True" }, now);
  if (isFinishing)
    conditions = setCondition(
      conditions,
      { ...outcome, type: outcome.type === "FailureTarget" ? "Failed" : "Complete", status: "True" },
      now,
    );
  const startTime = getStartTime(job, now);
  return {
    ...before,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? { startTime: undefined } : { startTime }),
    ...(finished && outcome.type === "SuccessCriteriaMet" ? { completionTime: now } : {}),
    ...omitZero("active", active.length),
    ...omitZero("succeeded", count.succeeded),
    ...omitZero("failed", count.failed),
    ready: active.filter(isPodReady).length,
    terminating,
    ...(isIndexed(job) && count.succeededIndexes.size > 0 ? { completedIndexes: formatIndexes(count.succeededIndexes) } : {}),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(count.failedIndexes) }),
    uncountedTerminatedPods: {},
  };
}

const omitZero = (name: string, count: number) => ({ [name]: count === 0 ? undefined : count });

export const hasTrueCondition = ({ conditions = [] }: JobStatus, wanted: string) =>
  conditions.some(({ type, status }) => type === wanted && status === "True");
export const isJobFinished = ({ status }: Job) => hasTrueCondition(status, "Complete") || hasTrueCondition(status, "Failed");

/** A suspended Job has no start time; a resumed one starts again. */
function getStartTime({ spec, status }: Job, now: string): string | undefined {
  if (spec.suspend) return isJobFinished({ status } as Job) || status.startTime === undefined ? status.startTime : undefined;
  const isResumed = status.conditions?.some(({ type, status: is }) => type === "Suspended" && is === "True") === true;
  return isResumed ? now : (status.startTime ?? now);
}

function getSuspendConditions({ spec, status }: Job, now: string): readonly JobCondition[] {
  const conditions = status.conditions ?? [];
  if (isJobFinished({ status } as Job)) return conditions;
  const suspended = hasTrueCondition(status, "Suspended");
  if (spec.suspend && !suspended)
    return setCondition(conditions, { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }, now);
  if (!spec.suspend && suspended)
    return setCondition(conditions, { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }, now);
  return conditions;
}

function setCondition(
  conditions: readonly JobCondition[],
  value: Pick<JobCondition, "type" | "status" | "reason" | "message">,
  now: string,
): readonly JobCondition[] {
  const old = conditions.find(({ type }) => type === value.type);
  if (old?.status === value.status && old.reason === value.reason && old.message === value.message) return conditions;
  const { type, status, reason, message } = value;
  const next: JobCondition = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
