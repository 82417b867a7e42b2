import type { Job, JobCondition, JobStatus } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isReady } from "../pod.ts";
import { indexesText } from "./indexes.ts";
import type { Ending } from "./outcome.ts";
import { isGoing, isIndexed, isOver } from "./pod-facts.ts";
import type { Tally } from "./tally.ts";

/** A job's status once everything that ended has been counted. Pure. */
export function jobStatus(job: Job, pods: readonly Pod[], counted: Tally, ending: Ending | undefined, now: string): JobStatus {
  const active = pods.filter((pod) => !isOver(pod) && !isGoing(pod));
  const terminating = pods.filter((pod) => isGoing(pod) && !isOver(pod)).length;
  const { uncountedTerminatedPods: _, ...before } = job.status;
  const finishes = ending !== undefined && active.length === 0 && terminating === 0;
  const finished = finishes && !isTrue(job.status, ending.type === "FailureTarget" ? "Failed" : "Complete");
  let conditions = suspension(job, now);
  if (ending !== undefined) conditions = put(conditions, { ...ending, status: "True" }, now);
  if (finishes)
    conditions = put(conditions, { ...ending, type: ending.type === "FailureTarget" ? "Failed" : "Complete", status: "True" }, now);
  const startTime = startOf(job, now);
  return {
    ...before,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? { startTime: undefined } : { startTime }),
    ...(finished && ending.type === "SuccessCriteriaMet" ? { completionTime: now } : {}),
    ...nonzero("active", active.length),
    ...nonzero("succeeded", counted.succeeded),
    ...nonzero("failed", counted.failed),
    ready: active.filter(isReady).length,
    terminating,
    ...(isIndexed(job) && counted.succeededIndexes.size > 0 ? { completedIndexes: indexesText(counted.succeededIndexes) } : {}),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexesText(counted.failedIndexes) }),
    uncountedTerminatedPods: {},
  };
}

const nonzero = (name: string, count: number) => ({ [name]: count === 0 ? undefined : count });

export const isTrue = ({ conditions = [] }: JobStatus, wanted: string) =>
  conditions.some(({ type, status }) => type === wanted && status === "True");
export const isFinished = ({ status }: Job) => isTrue(status, "Complete") || isTrue(status, "Failed");

/** A suspended job has not started; one that goes on starts anew. */
function startOf({ spec, status }: Job, now: string): string | undefined {
  if (spec.suspend) return isFinished({ status } as Job) || status.startTime === undefined ? status.startTime : undefined;
  const resumed = status.conditions?.some(({ type, status: is }) => type === "Suspended" && is === "True") === true;
  return resumed ? now : (status.startTime ?? now);
}

function suspension({ spec, status }: Job, now: string): readonly JobCondition[] {
  const had = status.conditions ?? [];
  if (isFinished({ status } as Job)) return had;
  const suspended = isTrue(status, "Suspended");
  if (spec.suspend && !suspended)
    return put(had, { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }, now);
  if (!spec.suspend && suspended)
    return put(had, { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }, now);
  return had;
}

function put(
  conditions: readonly JobCondition[],
  made: Pick<JobCondition, "type" | "status" | "reason" | "message">,
  now: string,
): readonly JobCondition[] {
  const old = conditions.find(({ type }) => type === made.type);
  if (old?.status === made.status && old.reason === made.reason && old.message === made.message) return conditions;
  const { type, status, reason, message } = made;
  const next: JobCondition = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
