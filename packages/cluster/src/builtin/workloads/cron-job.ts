import type { CronJob, CronJobSpec } from "pintle/kinds/batch/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { cronJobTable } from "../table/workloads.ts";
import { cronProblem } from "../text/cron.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { nonnegative, oneOf, type Problems, same, shownSelector } from "../validate/problems.ts";
import { jobSpec } from "./job.ts";

export const cronJob = rules<CronJob>({
  validate: function* ({ metadata, spec }) {
    yield* validateSpec(spec ?? {});
    // Jobs get eleven letters more than the cron job has.
    if ((metadata?.name ?? "").length > 52) yield fieldError.invalid("metadata.name", metadata?.name, "must be no more than 52 characters");
  },
  validateUpdate: ({ spec }) => validateSpec(spec ?? {}),
  warnings({ spec }, live) {
    const template = spec?.jobTemplate?.spec?.template;
    return same(template, live?.spec?.jobTemplate?.spec?.template) ? [] : templateWarnings("spec.jobTemplate.spec.template", template);
  },
  table: cronJobTable,
});

function* validateSpec(spec: Loose<CronJobSpec>): Problems {
  const { schedule, timeZone, jobTemplate } = spec;
  if (!schedule) yield fieldError.required("spec.schedule");
  else {
    const problem = cronProblem(schedule);
    if (problem !== undefined) yield fieldError.invalid("spec.schedule", schedule, problem);
    if (schedule.includes("TZ")) {
      yield fieldError.invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
  }
  yield* nonnegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  yield* zone("spec.timeZone", timeZone);
  yield* oneOf("spec.concurrencyPolicy", spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  yield* jobSpec("spec.jobTemplate.spec", jobTemplate?.spec ?? {});
  if (jobTemplate?.spec?.selector) {
    yield fieldError.invalid(
      "spec.jobTemplate.spec.selector",
      shownSelector(jobTemplate.spec.selector),
      "`selector` will be auto-generated",
    );
  }
  if (jobTemplate?.spec?.manualSelector) yield fieldError.notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]);
  yield* nonnegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  yield* nonnegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
}

function* zone(field: string, name: string | null | undefined): Problems {
  if (name == null) return;
  if (name === "") return yield fieldError.invalid(field, name, "timeZone must be nil or non-empty string");
  if (/^local$/i.test(name)) {
    yield fieldError.invalid(field, name, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!isZone(name)) yield fieldError.invalid(field, name, `unknown time zone ${name}`);
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
