import { clusterTest } from "@pintle/cluster/vitest";
import { Job } from "pintle/kinds/batch/v1";
import { virtualClock } from "pintle/testing";
import { expect } from "vitest";
import { CronJob } from "../src/cronjob.ts";
import { cronJob } from "../src/cronjob-controller.ts";
import { cronJobWebhook } from "../src/cronjob-webhook.ts";

const minute = 60_000;
/** A Job whose pods end as `behaviour` says, on a simulated node. */
const jobTemplate = (behaviour: "complete" | "fail" | "run" = "complete") => ({
  spec: {
    backoffLimit: 0,
    template: {
      metadata: { annotations: { "node.pintle.dev/behaviour": behaviour } },
      spec: { containers: [{ name: "hello", image: "busybox:1.37" }] },
    },
  },
});
const test = clusterTest({
  operator: { controllers: [cronJob], webhooks: [cronJobWebhook] },
  clock: virtualClock("2026-01-01T00:00:00Z"),
});

test("hours of runs leave the history that the limits allow", async ({ cluster, client, namespace }) => {
  const ref = { name: "hello", namespace };
  await client.create(CronJob, { metadata: ref, spec: { schedule: { minute: "*/30" }, jobTemplate: jobTemplate() } });
  await cluster.advance(4.25 * 60 * minute);
  await cluster.settled();
  expect((await client.get(CronJob, ref)).status).toMatchObject({ active: [], lastScheduleTime: "2026-01-01T04:00:00.000Z" });
  const { items } = await client.list(Job, { namespace });
  expect(items.map(({ status }) => [status.startTime, status.succeeded]).sort()).toEqual([
    ["2026-01-01T03:00:00Z", 1],
    ["2026-01-01T03:30:00Z", 1],
    ["2026-01-01T04:00:00Z", 1],
  ]);
});

test("a failed Job does not stop the next run", async ({ cluster, client, namespace }) => {
  const ref = { name: "fails", namespace };
  await client.create(CronJob, { metadata: ref, spec: { schedule: {}, jobTemplate: jobTemplate("fail") } });
  await cluster.advance(3.5 * minute);
  await cluster.settled();
  const { items } = await client.list(Job, { namespace });
  expect(items.map(({ status }) => [status.startTime, status.failed])).toEqual([["2026-01-01T00:03:00Z", 1]]);
});

test("Replace deletes the active Job with its pods, and a deleted CronJob all of its Jobs", async ({ cluster, client, namespace }) => {
  const ref = { name: "long", namespace };
  const spec = { schedule: {}, concurrencyPolicy: "Replace" as const, jobTemplate: jobTemplate("run") };
  await client.create(CronJob, { metadata: ref, spec });
  await cluster.advance(2.5 * minute);
  await cluster.settled();
  const active = async () => (await client.list(Job, { namespace })).items.map(({ status }) => [status.startTime, status.active]);
  expect(await active()).toEqual([["2026-01-01T00:02:00Z", 1]]);
  await client.delete(CronJob, ref);
  await cluster.settled();
  expect(await active()).toEqual([]);
});
