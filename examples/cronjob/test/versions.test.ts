import { accepts, refuses, requireRuleCoverage } from "@pintle/cluster/vitest";
import { checkRoundTrips } from "pintle/testing";
import { expect, test } from "vitest";
import { CronJob } from "../src/cronjob.ts";

requireRuleCoverage(CronJob);
const jobTemplate = { spec: { template: { spec: { containers: [{ name: "hello", image: "busybox:1.37" }] } } } };

test("no field is lost between the versions", () => {
  expect(checkRoundTrips(CronJob, { values: { "v1 spec.schedule": "*/15 3 1-7 * mon" } })).toEqual([]);
});

test("v1 has the schedule as cron writes it, v2 field by field", () => {
  const v1 = {
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    kind: "CronJob",
    metadata: { name: "a" },
    spec: { schedule: "0 3 * * 1-5", jobTemplate },
  };
  expect(CronJob.convert(v1, "v2")).toMatchObject({
    spec: { schedule: { minute: "0", hour: "3", dayOfMonth: "*", month: "*", dayOfWeek: "1-5" }, jobTemplate },
  });
});

test("the schema accepts schedules of five fields and complete Jobs", () => {
  accepts(CronJob, { schedule: {}, jobTemplate });
  accepts(CronJob, { schedule: "*/1 * * * *", jobTemplate }, { version: "v1" });
  refuses(CronJob, { jobTemplate }, "spec.schedule: Required value");
  refuses(CronJob, { schedule: "@daily", jobTemplate }, "spec.schedule", { version: "v1" });
  for (const field of ["minute", "hour", "dayOfMonth", "month", "dayOfWeek"])
    refuses(CronJob, { schedule: { [field]: "1 2" }, jobTemplate }, `spec.schedule.${field}`);
  refuses(CronJob, { schedule: {} }, "spec.jobTemplate: Required value");
  refuses(CronJob, { schedule: {}, jobTemplate: {} }, "spec.jobTemplate: Invalid value: must have a spec");
  refuses(CronJob, { schedule: {}, jobTemplate: { spec: { template: { spec: { containers: [{}] } } } } }, "name: Required value");
});

test("the schema refuses unknown policies and numbers that are no limits", () => {
  const spec = { schedule: {}, jobTemplate };
  refuses(CronJob, { ...spec, concurrencyPolicy: "Never" }, 'supported values: "Allow", "Forbid", "Replace"');
  refuses(CronJob, { ...spec, startingDeadlineSeconds: -1 }, "spec.startingDeadlineSeconds");
  for (const limit of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"])
    for (const value of [-1, 1001]) refuses(CronJob, { ...spec, [limit]: value }, `spec.${limit}`);
});
