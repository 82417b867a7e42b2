import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { Schedule } from "./schedule.ts";

/** The result of evaluating a CronJob's schedule at one instant. */
export interface ScheduleStatus {
  /** The latest scheduled time for which no Job was created. Milliseconds. */
  readonly lastMissedAt: number | undefined;
  /** More than `MAX_MISSED` scheduled times were missed. */
  readonly hasTooManyMissed: boolean;
  readonly nextAt: number | undefined;
}

const MAX_MISSED = 100;

/** Evaluates the schedule of a CronJob. Pure. */
export function computeScheduleStatus({ metadata, spec, status }: CronJob, schedule: Schedule, now: number): ScheduleStatus {
  const { startingDeadlineSeconds: deadline } = spec;
  const lastScheduledAt = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp);
  let from = deadline === undefined ? lastScheduledAt : Math.max(lastScheduledAt, now - deadline * 1000);
  let lastMissedAt: number | undefined;
  let missed = 0;
  for (let time = schedule.next(from); time !== undefined && time <= now; time = schedule.next(from)) {
    missed++;
    // After many missed times, skip ahead: only the latest one counts.
    const gap = time - from;
    from = missed === MAX_MISSED && now - time > gap * MAX_MISSED ? now - gap * 2 : time;
    lastMissedAt = time;
  }
  return { lastMissedAt, hasTooManyMissed: missed > MAX_MISSED, nextAt: schedule.next(Math.max(now, from)) };
}

export const isJobFinished = ({ status }: Job) => getFinishedCondition(status) !== undefined;

/** Returns the condition with which a Job finished. */
export function getFinishedCondition({ conditions = [] }: Job["status"]): "Complete" | "Failed" | undefined {
  const found = conditions.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
  return found?.type as "Complete" | "Failed" | undefined;
}

/** Selects the finished Jobs beyond the history limits, oldest first. Pure. */
export function selectJobsToDelete({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const listBeyondLimit = (condition: "Complete" | "Failed", limit: number) => {
    const ended = jobs
      .filter(({ status }) => getFinishedCondition(status) === condition)
      .sort((a, b) => getStartTime(a).localeCompare(getStartTime(b)));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...listBeyondLimit("Complete", spec.successfulJobsHistoryLimit ?? 3),
    ...listBeyondLimit("Failed", spec.failedJobsHistoryLimit ?? 1),
  ];
}

const getStartTime = ({ metadata, status }: Job) => status.startTime ?? metadata.creationTimestamp;
