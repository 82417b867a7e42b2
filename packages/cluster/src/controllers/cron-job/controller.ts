import { AlreadyExists, allow, NotFound } from "pintle/client";
import { controller } from "pintle/controller";
import { CronJob, type CronJobStatus, Job } from "pintle/kinds/batch/v1";
import { canonical } from "pintle/merge";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controlledBy } from "../owner.ts";
import type { Part, Plant } from "../part.ts";
import { textOf } from "../pod-control.ts";
import { type Schedule, schedules } from "./schedule.ts";
import { conditionOf, dueTime, forgotten, isFinished } from "./step.ts";
import { isZone, offset } from "./wall-clock.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** Starts jobs when their time has come. */
export function cronJobs(plant: Plant): Part {
  const { clock } = plant;
  const scheduled = schedules();
  const made = controller(CronJob, {
    name: "cronjob-controller",
    owns: [Job],
    needs: [allow(Job, "create", "delete"), allow(CronJob, "status/update")],
    async reconcile({ object: cron, owned, client, event, want }) {
      const { metadata, spec } = cron;
      let status: CronJobStatus = cron.status;
      const jobs = () => owned(Job).all();
      sawTheEnd();
      await forget();
      const after = await start();
      status = { ...status, active: (status.active ?? []).filter(({ uid }) => jobs().some((job) => job.metadata.uid === uid)) };
      if (status.active?.length === 0) {
        const { active: _, ...rest } = status;
        status = rest;
      }
      if (canonical(status) !== canonical(cron.status)) await client.status.replace(CronJob, { ...cron, status }, MANAGED);
      return after === undefined ? undefined : want({ requeueAfter: after });

      /** Jobs that were active and have ended, or are gone. */
      function sawTheEnd(): void {
        for (const reference of cron.status.active ?? []) {
          const job = jobs().find((each) => each.metadata.uid === reference.uid);
          const how = job && conditionOf(job.status);
          if (job === undefined) event("MissingJob", `Active job went missing: ${reference.name}`);
          else if (how !== undefined) event("SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${how}`);
          if (job === undefined || how !== undefined)
            status = { ...status, active: status.active?.filter(({ uid }) => uid !== reference.uid) };
        }
        for (const job of jobs()) {
          const ended = job.status.completionTime;
          if (ended !== undefined && ended > (status.lastSuccessfulTime ?? "")) status = { ...status, lastSuccessfulTime: ended };
          if (isFinished(job) || cron.status.active?.some(({ uid }) => uid === job.metadata.uid)) continue;
          const known = status.active?.some(({ uid }) => uid === job.metadata.uid);
          if (!known)
            event("UnexpectedJob", `Saw a job that the controller did not create or forgot: ${job.metadata.name}`, { type: "Warning" });
        }
      }
      async function forget(): Promise<void> {
        for (const { metadata: job } of forgotten(cron, jobs())) {
          await client.delete(Job, job, { uid: job.uid, propagation: "Background" });
          event("SuccessfulDelete", `Deleted job ${job.name}`);
        }
      }
      /** Starts what is due; how long until the next time. */
      async function start(): Promise<number | undefined> {
        if (spec.suspend) return undefined;
        const when = understood();
        if (when === undefined) return undefined;
        const now = clock.now();
        const { at, tooMany, next } = dueTime(cron, when, now);
        const wait = next === undefined ? undefined : next - now;
        if (tooMany) {
          const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
          event("TooManyMissedTimes", `too many missed start times. ${advice}`, { type: "Warning" });
        }
        if (at === undefined) return wait;
        const deadline = spec.startingDeadlineSeconds;
        if (deadline !== undefined && at + deadline * 1000 < now) {
          event("MissSchedule", `Missed scheduled time to start a job: ${new Date(at).toUTCString()}`, { type: "Warning" });
          return wait;
        }
        const active = status.active ?? [];
        if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
          event("JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid");
          return wait;
        }
        if (spec.concurrencyPolicy === "Replace") for (const { name, uid } of active) await replace(name, uid);
        await begin(at);
        return wait;
      }
      function understood(): Schedule | undefined {
        const zone = spec.timeZone ?? "UTC";
        if (!isZone(zone)) {
          event("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`, { type: "Warning" });
          return undefined;
        }
        try {
          return scheduled(spec.schedule, zone);
        } catch (error) {
          event("UnparseableSchedule", `unparseable schedule: ${JSON.stringify(spec.schedule)}: ${(error as Error).message}`, {
            type: "Warning",
          });
          return undefined;
        }
      }
      async function replace(name = "", uid: string | undefined): Promise<void> {
        try {
          await client.delete(Job, { name, namespace: metadata.namespace }, { uid, propagation: "Background" });
          event("SuccessfulDelete", `Deleted job ${name}`);
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
        }
        status = { ...status, active: status.active?.filter((each) => each.uid !== uid) };
      }
      async function begin(at: number): Promise<void> {
        const { jobTemplate } = spec;
        const job = {
          metadata: {
            name: `${metadata.name}-${Math.floor(at / 60_000)}`,
            namespace: metadata.namespace,
            labels: jobTemplate.metadata?.labels,
            annotations: { ...jobTemplate.metadata?.annotations, [SCHEDULED]: inZone(at, spec.timeZone) },
            ownerReferences: [controlledBy(CronJob, cron)],
          },
          spec: jobTemplate.spec ?? { template: {} },
        };
        let started: Job;
        try {
          started = await client.create(Job, job as never, MANAGED);
          event("SuccessfulCreate", `Created job ${job.metadata.name}`);
        } catch (error) {
          if (!(error instanceof AlreadyExists)) {
            event("FailedCreate", `Error creating job: ${textOf(error)}`, { type: "Warning" });
            throw error;
          }
          const known = jobs().find((each) => each.metadata.name === job.metadata.name);
          if (known === undefined) throw error;
          started = known;
        }
        const { name, namespace, uid, resourceVersion } = started.metadata;
        const reference = { kind: "Job", apiVersion: "batch/v1", namespace, name, uid, resourceVersion };
        status = {
          ...status,
          lastScheduleTime: timestamp(at),
          active: isFinished(started) ? status.active : [...(status.active ?? []).filter((each) => each.uid !== uid), reference],
        };
      }
    },
  });
  return operated(made, plant);
}

/** RFC 3339, as the zone's clock shows it. */
function inZone(at: number, zone: string | undefined): string {
  const ahead = zone === undefined ? 0 : offset(at, zone);
  if (ahead === 0) return timestamp(at);
  const minutes = Math.abs(ahead) / 60_000;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `${timestamp(at + ahead).slice(0, -1)}${ahead < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
