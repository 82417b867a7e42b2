import type { CronJob, CronJobSpec } from "pintle/kinds/batch/v1";
import { isTimeZone } from "../../../schema/decode/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { cronJobPrinter } from "../../printers/workloads.ts";
import { findCronError } from "../../validation/cron-schedule.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printSelector,
  validateNonnegative,
  validateRequiredEnum,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";
import { validateJobSpec } from "./job.ts";

export const cronJobStrategy = defineStrategy<CronJob>({
  validate: function* ({ metadata, spec }) {
    yield* validateSpec(spec ?? {});
    // Job names are the name of the cron job and eleven more characters.
    if ((metadata?.name ?? "").length > 52) yield fieldError.invalid("metadata.name", metadata?.name, "must be no more than 52 characters");
  },
  validateUpdate: ({ spec }) => validateSpec(spec ?? {}),
  warnings({ spec }, live) {
    const template = spec?.jobTemplate?.spec?.template;
    return isSemanticallyEqual(template, live?.spec?.jobTemplate?.spec?.template)
      ? []
      : getTemplateWarnings("spec.jobTemplate.spec.template", template);
  },
  tablePrinter: cronJobPrinter,
});

function* validateSpec(spec: Unvalidated<CronJobSpec>): FieldErrors {
  const { schedule, timeZone, jobTemplate } = spec;
  if (!schedule) yield fieldError.required("spec.schedule");
  else {
    const problem = findCronError(schedule);
    if (problem !== undefined) yield fieldError.invalid("spec.schedule", schedule, problem);
    if (schedule.includes("TZ")) {
      yield fieldError.invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
  }
  yield* validateNonnegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  yield* validateTimeZone("spec.timeZone", timeZone);
  yield* validateRequiredEnum("spec.concurrencyPolicy", spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  yield* validateJobSpec("spec.jobTemplate.spec", jobTemplate?.spec ?? {});
  if (jobTemplate?.spec?.selector) {
    yield fieldError.invalid(
      "spec.jobTemplate.spec.selector",
      printSelector(jobTemplate.spec.selector),
      "`selector` will be auto-generated",
    );
  }
  if (jobTemplate?.spec?.manualSelector) yield fieldError.notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]);
  yield* validateNonnegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  yield* validateNonnegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
}

function* validateTimeZone(field: string, name: string | null | undefined): FieldErrors {
  if (name == null) return;
  if (name === "") return yield fieldError.invalid(field, name, "timeZone must be nil or non-empty string");
  if (/^local$/i.test(name)) {
    yield fieldError.invalid(field, name, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!isTimeZone(name)) yield fieldError.invalid(field, name, `unknown time zone ${name}`);
}
