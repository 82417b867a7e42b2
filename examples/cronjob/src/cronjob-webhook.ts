import { webhook } from "pintle";
import { CronJob } from "./cronjob.ts";
import { findRuns } from "./schedule.ts";

export const cronJobWebhook = webhook(CronJob, {
  /** A Job needs a restartPolicy, and refuses the one that pods have by default. */
  default({ spec }) {
    const pod = spec.jobTemplate.spec?.template.spec;
    if (pod !== undefined) pod.restartPolicy ??= "OnFailure";
  },
  /** What cron accepts is more than a pattern or a CEL rule can express. */
  validate({ object }) {
    try {
      findRuns(object.spec.schedule, new Date());
      return [];
    } catch (error) {
      return [{ field: "spec.schedule", message: (error as Error).message }];
    }
  },
});
