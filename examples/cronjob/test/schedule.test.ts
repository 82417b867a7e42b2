import { Job } from "pintle/kinds/batch/v1";
import { objectFixture, type Simulation, simulate } from "pintle/testing";
import { describe, expect, test } from "vitest";
import { CronJob } from "../src/cronjob.ts";
import { cronJob } from "../src/cronjob-controller.ts";

const ref = { name: "hello", namespace: "default" };
const minute = 60_000;
const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "hello", image: "busybox:1.37" }] } };

/** Simulates a CronJob from 2026-01-01T00:00:00Z on. */
const start = (spec: object = {}) =>
  simulate(cronJob, [CronJob.desired({ metadata: ref, spec: { schedule: {}, jobTemplate: { spec: { template } }, ...spec } as never })]);
const change = (simulation: Simulation, spec: object) => simulation.put(objectFixture(CronJob, "hello", { spec }));
const end = (simulation: Simulation, job: string, type: "Complete" | "Failed" = "Complete") =>
  simulation.put(objectFixture(Job, job, { status: { conditions: [{ type, status: "True" }] } }));
const statusOf = (simulation: Simulation) => simulation.get(CronJob, ref)?.status;
const activeJob = (simulation: Simulation) => statusOf(simulation)?.active?.at(-1)?.name ?? "";
const readyOf = (simulation: Simulation) => statusOf(simulation)?.conditions?.find(({ type }) => type === "Ready");
/** The minutes at which the Jobs were due. */
const runs = (simulation: Simulation) =>
  simulation
    .list(Job)
    .map(({ metadata }) => metadata.annotations?.["batch.tutorial.kubebuilder.io/scheduled-at"]?.slice(11, 16))
    .sort();

describe("a schedule", () => {
  test("starts a Job at each time, once, and reports it", async () => {
    const simulation = await start({ schedule: { minute: "*/5" } });
    expect(runs(simulation)).toEqual([]);
    await simulation.advance(5 * minute);
    expect(statusOf(simulation)).toMatchObject({
      active: [{ apiVersion: "batch/v1", kind: "Job", name: "hello-29453765" }],
      lastScheduleTime: "2026-01-01T00:05:00.000Z",
    });
    expect(readyOf(simulation)).toMatchObject({ reason: "Scheduled", message: "next run at 2026-01-01T00:10:00.000Z" });
    await end(simulation, "hello-29453765");
    await simulation.delete(Job, { name: "hello-29453765", namespace: "default" });
    expect(runs(simulation)).toEqual([]);
    expect(statusOf(simulation)?.active).toEqual([]);
    await simulation.advance(10 * minute);
    expect(runs(simulation)).toEqual(["00:10", "00:15"]);
  });

  test("passes labels and annotations of the template on", async () => {
    const metadata = { labels: { team: "a" }, annotations: { note: "b" } };
    const simulation = await start({ jobTemplate: { metadata, spec: { template } } });
    await simulation.advance(minute);
    expect(simulation.list(Job)[0]).toMatchObject({ metadata, spec: { template } });
  });

  test("that is invalid, stored without the webhook, fails with what is wrong", async () => {
    const stored = (minute: string) =>
      objectFixture(CronJob, "hello", { spec: { schedule: { minute }, jobTemplate: { spec: { template } } } });
    await expect(simulate(cronJob, [stored("61")])).rejects.toThrow(
      "61 * * * * is not a schedule: CronPattern: Invalid value for minute: 61",
    );
    await expect(simulate(cronJob, [stored("")])).rejects.toThrow("is not a schedule");
  });
});

describe("the history", () => {
  test("keeps as many Jobs as its limits say, and those that are active", async () => {
    const simulation = await start({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    for (const type of ["Failed", "Failed", "Complete", "Complete", "Complete"] as const) {
      await simulation.advance(minute);
      await end(simulation, activeJob(simulation), type);
    }
    expect(runs(simulation)).toEqual(["00:02", "00:04", "00:05"]);
    await change(simulation, { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
    await simulation.advance(minute);
    expect(runs(simulation)).toEqual(["00:06"]);
  });
});

describe("a run that is due while another one is active", () => {
  test("starts beside it with Allow", async () => {
    const simulation = await start({ concurrencyPolicy: "Allow" });
    await simulation.advance(2 * minute);
    expect(runs(simulation)).toEqual(["00:01", "00:02"]);
    expect(statusOf(simulation)?.active).toHaveLength(2);
  });

  test("waits for its end with Forbid", async () => {
    const simulation = await start({ concurrencyPolicy: "Forbid" });
    await simulation.advance(3.5 * minute);
    expect(runs(simulation)).toEqual(["00:01"]);
    expect(statusOf(simulation)?.lastScheduleTime).toBe("2026-01-01T00:01:00.000Z");
    await end(simulation, activeJob(simulation));
    expect(runs(simulation)).toEqual(["00:01", "00:03"]);
  });

  test("replaces it with Replace", async () => {
    const simulation = await start({ concurrencyPolicy: "Replace" });
    await simulation.advance(minute);
    await end(simulation, activeJob(simulation));
    await simulation.advance(1.5 * minute);
    expect(runs(simulation)).toEqual(["00:01", "00:02"]);
    await simulation.advance(minute);
    expect(runs(simulation)).toEqual(["00:01", "00:03"]);
  });
});

describe("a run that was not started in time", () => {
  test("is started late without a deadline; of several, only the latest", async () => {
    const simulation = await start({ suspend: true });
    await simulation.advance(10.5 * minute);
    expect(readyOf(simulation)).toMatchObject({ status: "True", reason: "Suspended" });
    await change(simulation, { suspend: false });
    expect(runs(simulation)).toEqual(["00:10"]);
  });

  test("is given up after its deadline, with one Event", async () => {
    const simulation = await start({ suspend: true, startingDeadlineSeconds: 20, schedule: { minute: "0" } });
    await simulation.advance(61 * minute);
    await change(simulation, { suspend: false });
    await change(simulation, { successfulJobsHistoryLimit: 5 });
    expect(runs(simulation)).toEqual([]);
    expect(statusOf(simulation)?.lastMissedTime).toBe("2026-01-01T01:00:00.000Z");
    expect(simulation.events).toMatchObject([
      { type: "Warning", reason: "MissedSchedule", message: "the run of 2026-01-01T01:00:00.000Z was not started in time" },
    ]);
    await simulation.advance(59 * minute);
    expect(runs(simulation)).toEqual(["02:00"]);
  });
});
