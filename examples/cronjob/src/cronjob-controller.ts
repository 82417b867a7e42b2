import { controller, keepLast } from "pintle";
import { hasCondition } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { CronJob } from "./cronjob.ts";
import { findRuns } from "./schedule.ts";

export const cronJob = controller(CronJob, {
  name: "cron-job",
  owns: [Job],
  reconcile({ object, owned, now, event, want }) {
    const { metadata, spec, status } = object;
    const { latest, next } = findRuns(spec.schedule, now);
    const handled = [metadata.creationTimestamp, status?.lastScheduleTime, status?.lastMissedTime].map((time) => Date.parse(time ?? "0"));
    const due = latest !== undefined && latest.getTime() > Math.max(...handled) && !spec.suspend ? latest : undefined;
    const run = due && jobFor(object, due);
    const active = owned(Job)
      .list()
      .filter((job) => !hasCondition("Complete")(job) && !hasCondition("Failed")(job));

    const isMissed = due !== undefined && now.getTime() - due.getTime() > 1000 * (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY);
    const isBlocked = spec.concurrencyPolicy === "Forbid" && active.some(({ metadata: { name } }) => name !== run?.object.metadata.name);
    const isStarted = due !== undefined && !isMissed && !isBlocked;
    if (isMissed) event("MissedSchedule", `the run of ${due.toISOString()} was not started in time`, { type: "Warning" });
    const limits = { succeeded: spec.successfulJobsHistoryLimit, failed: spec.failedJobsHistoryLimit };
    return want({
      children: {
        runs: keepLast({ ...limits, running: isStarted && spec.concurrencyPolicy === "Replace" ? "prune" : "keep" }, Job, isStarted && run),
      },
      status: {
        active: active.map(({ metadata: { name, namespace, uid } }) => ({ apiVersion: "batch/v1", kind: "Job", name, namespace, uid })),
        lastScheduleTime: isStarted ? due.toISOString() : status?.lastScheduleTime,
        lastMissedTime: isMissed ? due.toISOString() : status?.lastMissedTime,
      },
      conditions: {
        Ready: spec.suspend
          ? { status: true, reason: "Suspended" }
          : { status: true, reason: "Scheduled", message: `next run at ${next.toISOString()}` },
      },
      requeueAfter: spec.suspend ? undefined : next.getTime() - now.getTime(),
    });
  },
});

/** The name is the same each time, so a run is started once, whatever happens between its start and the status that records it. */
function jobFor({ metadata, spec: { jobTemplate } }: CronJob, due: Date) {
  const { labels, annotations } = jobTemplate.metadata ?? {};
  return Job.desired({
    metadata: {
      name: `${metadata.name}-${due.getTime() / 60_000}`,
      labels: labels ?? {},
      annotations: { ...annotations, "batch.tutorial.kubebuilder.io/scheduled-at": due.toISOString() },
    },
    spec: jobTemplate.spec!,
  });
}
