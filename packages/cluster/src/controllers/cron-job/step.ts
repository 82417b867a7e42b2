import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { Schedule } from "./schedule.ts";

/** What the clock says about a CronJob now. */
export interface Due {
  /** The latest time at which a job should have been started, and has not. Milliseconds. */
  readonly at: number | undefined;
  /** More times than anyone would catch up with have passed. */
  readonly tooMany: boolean;
  readonly next: number | undefined;
}

const MANY = 100;

/** Pure. */
export function dueTime({ metadata, spec, status }: CronJob, when: Schedule, now: number): Due {
  const { startingDeadlineSeconds: deadline } = spec;
  const since = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp);
  let from = deadline === undefined ? since : Math.max(since, now - deadline * 1000);
  let at: number | undefined;
  let missed = 0;
  for (let time = when.next(from); time !== undefined && time <= now; time = when.next(from)) {
    missed++;
    // After long silence the way is shortened: only the last time counts.
    const gap = time - from;
    from = missed === MANY && now - time > gap * MANY ? now - gap * 2 : time;
    at = time;
  }
  return { at, tooMany: missed > MANY, next: when.next(Math.max(now, from)) };
}

export const isFinished = ({ status }: Job) => conditionOf(status) !== undefined;

/** How a job ended. */
export function conditionOf({ conditions = [] }: Job["status"]): "Complete" | "Failed" | undefined {
  const found = conditions.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
  return found?.type as "Complete" | "Failed" | undefined;
}

/** Finished jobs beyond what is to be remembered, eldest first. Pure. */
export function forgotten({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (how: "Complete" | "Failed", limit: number) => {
    const ended = jobs.filter(({ status }) => conditionOf(status) === how).sort((a, b) => startOf(a).localeCompare(startOf(b)));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond("Complete", spec.successfulJobsHistoryLimit ?? 3), ...beyond("Failed", spec.failedJobsHistoryLimit ?? 1)];
}

const startOf = ({ metadata, status }: Job) => status.startTime ?? metadata.creationTimestamp;
