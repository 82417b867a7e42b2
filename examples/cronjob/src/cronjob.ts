import { celRule, defineResource, type ObjectOf, timestamp, z } from "pintle";
import { builtInField, jobTemplateSpec } from "pintle/fields";
import { formatSchedule, Schedule, splitSchedule } from "./schedule.ts";

const limit = (ended: string) => z.int32().min(0).max(1000).describe(`How many ${ended} Jobs are kept.`);

/** The fields that are the same in both versions. */
const shared = {
  startingDeadlineSeconds: z.int32().min(0).optional().describe("A run that is later than this is not started."),
  concurrencyPolicy: z
    .enum(["Allow", "Forbid", "Replace"])
    .default("Allow")
    .describe("Whether a run that is due while a Job is active starts beside it, waits for its end, or replaces it."),
  suspend: z.boolean().default(false).describe("Whether no further runs are started."),
  jobTemplate: celRule(jobTemplateSpec(), "has(self.spec)", { message: "must have a spec" }).describe("The Job of a run."),
  successfulJobsHistoryLimit: limit("successful").default(3),
  failedJobsHistoryLimit: limit("failed").default(1),
};
const status = z.object({
  active: z.array(builtInField("v1/ObjectReference")).describe("Jobs that have not ended."),
  lastScheduleTime: timestamp().optional().describe("The latest run that was started."),
  lastMissedTime: timestamp().optional().describe("The latest run that was not started before its deadline."),
});

export const CronJob = defineResource({
  group: "batch.tutorial.kubebuilder.io",
  version: "v2",
  kind: "CronJob",
  spec: z.object({ schedule: Schedule.describe("When runs are due."), ...shared }),
  status,
  rules: [{ rule: "self.metadata.name.size() <= 52", message: "must be at most 52 characters, because it prefixes the names of Jobs" }],
  conditions: ["Ready"],
  columns: [
    { name: "Suspend", path: ".spec.suspend" },
    { name: "Last schedule", path: ".status.lastScheduleTime" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
}).older({
  version: "v1",
  spec: z.object({
    schedule: z
      .string()
      .regex(/^[^ ]{1,100}( [^ ]{1,100}){4}$/)
      .describe("The five fields of cron, in UTC."),
    ...shared,
  }),
  status,
  toHub: ({ spec: { schedule, ...spec }, status }) => ({ spec: { ...spec, schedule: splitSchedule(schedule) }, status }),
  fromHub: ({ spec: { schedule, ...spec }, status }) => ({ spec: { ...spec, schedule: formatSchedule(schedule) }, status }),
});
export interface CronJob extends ObjectOf<typeof CronJob> {}
