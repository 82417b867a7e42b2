import { allow } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { createScheduleCache } from "./schedule.ts";
import { type CronJobSync, deleteOldJobs, removeMissingJobs, reportFinishedJobs, startDueJob } from "./sync.ts";

/** Starts the controller that creates Jobs when the schedule of their CronJob is due. */
export function startCronJobController(context: ControllerContext): ControlPlaneComponent {
  const parseSchedule = createScheduleCache();
  const cronJobs = controller(CronJob, {
    name: "cronjob-controller",
    owns: [Job],
    needs: [allow(Job, "create", "delete"), allow(CronJob, "status/update")],
    async reconcile({ object: cronJob, owned, client, event, want }) {
      const sync: CronJobSync = { cronJob, client, event, jobs: () => owned(Job).list(), status: cronJob.status };
      reportFinishedJobs(sync);
      await deleteOldJobs(sync);
      const requeueAfter = await startDueJob(sync, context.clock, parseSchedule);
      removeMissingJobs(sync);
      const { status } = sync;
      if (canonicalJson(status) !== canonicalJson(cronJob.status))
        await client.status.replace(CronJob, { ...cronJob, status }, FIELD_MANAGER);
      return requeueAfter === undefined ? undefined : want({ requeueAfter });
    },
  });
  return startControllerComponent(cronJobs, context);
}
