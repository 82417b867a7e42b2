import { AlreadyExists, type Client, NotFound } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import type { RecordEvent } from "pintle/internal/controller";
import { CronJob, type CronJobStatus, Job } from "pintle/kinds/batch/v1";
import { formatTimestamp } from "../../api/index.ts";
import { getZoneOffset, isTimeZone } from "../../builtin/index.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { getErrorMessage } from "../workload/pod-control.ts";
import { computeScheduleStatus, getFinishedCondition, isJobFinished, selectJobsToDelete } from "./due-time.ts";
import type { Schedule } from "./schedule.ts";

const SCHEDULED_TIMESTAMP_ANNOTATION = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The state of one reconcile pass of a CronJob, which the steps below share. */
export interface CronJobSync {
  readonly cronJob: CronJob;
  readonly client: Pick<Client, "create" | "delete">;
  readonly event: RecordEvent;
  /** Lists the owned Jobs, including those that this pass created. */
  jobs(): readonly Job[];
  /** The next status; each step may update it. */
  status: CronJobStatus;
}

/** Reports active Jobs that have finished or were deleted, and removes them from the status. */
export function reportFinishedJobs(sync: CronJobSync): void {
  const { cronJob, event } = sync;
  for (const { name, uid } of cronJob.status.active ?? []) {
    const job = sync.jobs().find((each) => each.metadata.uid === uid);
    const condition = job && getFinishedCondition(job.status);
    if (job === undefined) event("MissingJob", `Active job went missing: ${name}`);
    else if (condition !== undefined) event("SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${condition}`);
    if (job === undefined || condition !== undefined) removeActive(sync, uid);
  }
  for (const job of sync.jobs()) {
    const { completionTime } = job.status;
    if (completionTime !== undefined && completionTime > (sync.status.lastSuccessfulTime ?? ""))
      sync.status = { ...sync.status, lastSuccessfulTime: completionTime };
    const isActive = [...(cronJob.status.active ?? []), ...(sync.status.active ?? [])].some(({ uid }) => uid === job.metadata.uid);
    if (!isJobFinished(job) && !isActive)
      event("UnexpectedJob", `Saw a job that the controller did not create or forgot: ${job.metadata.name}`, { type: "Warning" });
  }
}

/** Deletes finished Jobs beyond the history limits. */
export async function deleteOldJobs(sync: CronJobSync): Promise<void> {
  for (const { metadata } of selectJobsToDelete(sync.cronJob, sync.jobs())) {
    await sync.client.delete(Job, metadata, { uid: metadata.uid, propagation: "Background" });
    sync.event("SuccessfulDelete", `Deleted job ${metadata.name}`);
  }
}

/** Creates the Job that is due, as the concurrency policy permits. Returns the milliseconds until the next scheduled time. */
export async function startDueJob(
  sync: CronJobSync,
  clock: Clock,
  parseSchedule: (text: string, zone: string) => Schedule,
): Promise<number | undefined> {
  const { cronJob, event } = sync;
  const { spec } = cronJob;
  const schedule = spec.suspend ? undefined : resolveSchedule(sync, parseSchedule);
  if (schedule === undefined) return undefined;
  const now = clock.now();
  const { lastMissedAt, hasTooManyMissed, nextAt } = computeScheduleStatus(cronJob, schedule, now);
  const requeueAfter = nextAt === undefined ? undefined : nextAt - now;
  if (hasTooManyMissed) {
    const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    event("TooManyMissedTimes", `too many missed start times. ${advice}`, { type: "Warning" });
  }
  if (lastMissedAt === undefined) return requeueAfter;
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && lastMissedAt + deadline * 1000 < now) {
    event("MissSchedule", `Missed scheduled time to start a job: ${new Date(lastMissedAt).toUTCString()}`, { type: "Warning" });
    return requeueAfter;
  }
  const active = sync.status.active ?? [];
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    event("JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid");
    return requeueAfter;
  }
  if (spec.concurrencyPolicy === "Replace") for (const { name, uid } of active) await deleteActiveJob(sync, name, uid);
  await createJob(sync, lastMissedAt);
  return requeueAfter;
}

/** Removes active references to Jobs that no longer exist. */
export function removeMissingJobs(sync: CronJobSync): void {
  const { active = [], ...status } = sync.status;
  const existing = active.filter(({ uid }) => sync.jobs().some((job) => job.metadata.uid === uid));
  sync.status = existing.length === 0 ? status : { ...status, active: existing };
}

/** Parses the schedule; reports an invalid one and returns undefined. */
function resolveSchedule(
  { cronJob: { spec }, event }: CronJobSync,
  parseSchedule: (text: string, zone: string) => Schedule,
): Schedule | undefined {
  const zone = spec.timeZone ?? "UTC";
  if (!isTimeZone(zone)) {
    event("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`, { type: "Warning" });
    return undefined;
  }
  try {
    return parseSchedule(spec.schedule, zone);
  } catch (error) {
    const message = `unparseable schedule: ${JSON.stringify(spec.schedule)}: ${(error as Error).message}`;
    event("UnparseableSchedule", message, { type: "Warning" });
    return undefined;
  }
}

async function deleteActiveJob(sync: CronJobSync, name = "", uid: string | undefined): Promise<void> {
  const { namespace } = sync.cronJob.metadata;
  try {
    await sync.client.delete(Job, { name, namespace }, { uid, propagation: "Background" });
    sync.event("SuccessfulDelete", `Deleted job ${name}`);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
  removeActive(sync, uid);
}

async function createJob(sync: CronJobSync, scheduledAt: number): Promise<void> {
  const { client, event } = sync;
  const body = buildJob(sync.cronJob, scheduledAt);
  let job: Job;
  try {
    job = await client.create(Job, body as never, FIELD_MANAGER);
    event("SuccessfulCreate", `Created job ${body.metadata.name}`);
  } catch (error) {
    if (!(error instanceof AlreadyExists)) {
      event("FailedCreate", `Error creating job: ${getErrorMessage(error)}`, { type: "Warning" });
      throw error;
    }
    const existing = sync.jobs().find(({ metadata }) => metadata.name === body.metadata.name);
    if (existing === undefined) throw error;
    job = existing;
  }
  const { name, namespace, uid, resourceVersion } = job.metadata;
  const reference = { kind: "Job", apiVersion: "batch/v1", namespace, name, uid, resourceVersion };
  sync.status = { ...sync.status, lastScheduleTime: formatTimestamp(scheduledAt) };
  if (isJobFinished(job)) return;
  removeActive(sync, uid);
  sync.status = { ...sync.status, active: [...(sync.status.active ?? []), reference] };
}

function buildJob(cronJob: CronJob, scheduledAt: number) {
  const { metadata, spec } = cronJob;
  const template = spec.jobTemplate;
  return {
    metadata: {
      name: `${metadata.name}-${Math.floor(scheduledAt / 60_000)}`,
      namespace: metadata.namespace,
      labels: template.metadata?.labels,
      annotations: { ...template.metadata?.annotations, [SCHEDULED_TIMESTAMP_ANNOTATION]: formatInTimeZone(scheduledAt, spec.timeZone) },
      ownerReferences: [buildControllerRef(CronJob, cronJob)],
    },
    spec: template.spec ?? { template: {} },
  };
}

function removeActive(sync: CronJobSync, removed: string | undefined): void {
  sync.status = { ...sync.status, active: sync.status.active?.filter(({ uid }) => uid !== removed) };
}

/** Formats an instant as RFC 3339 with the offset of the time zone. */
function formatInTimeZone(instant: number, zone: string | undefined): string {
  const offset = zone === undefined ? 0 : getZoneOffset(instant, zone);
  if (offset === 0) return formatTimestamp(instant);
  const minutes = Math.abs(offset) / 60_000;
  const pad = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `${formatTimestamp(instant + offset).slice(0, -1)}${offset < 0 ? "-" : "+"}${pad(minutes / 60)}:${pad(minutes % 60)}`;
}
