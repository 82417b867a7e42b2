/** The CronJob example on a real control plane: the operator has a virtual clock, and the Jobs that it starts run on a simulated node. */
import { Job } from "pintle/kinds/batch/v1";
import { virtualClock } from "pintle/testing";
import { afterAll, expect } from "vitest";
import { CronJob } from "../../examples/cronjob/src/cronjob.ts";
import { cronJob } from "../../examples/cronjob/src/cronjob-controller.ts";
import { cronJobWebhook } from "../../examples/cronjob/src/cronjob-webhook.ts";
import { declareKinds, stopCluster } from "./real-cluster.ts";
import { clusterTest } from "./real-operator.ts";

const MINUTE = 60_000;
const clock = virtualClock(new Date(Date.now() + MINUTE).toISOString());
declareKinds([CronJob]);
afterAll(stopCluster);
const test = clusterTest({ operator: { controllers: [cronJob], webhooks: [cronJobWebhook] }, clock });
const within = { timeout: 60_000 };
const jobTemplate = (behaviour: "complete" | "run") => ({
  spec: {
    template: {
      metadata: { annotations: { "node.pintle.dev/behaviour": behaviour } },
      spec: { containers: [{ name: "hello", image: "busybox:1.37" }] },
    },
  },
});

test("each run of a CronJob is a Job that completes, and only as many as the limit says are kept", async ({ client, namespace }) => {
  const ref = { name: "hello", namespace };
  await client.create(CronJob.at.v1, {
    metadata: ref,
    spec: { schedule: "* * * * *", successfulJobsHistoryLimit: 1, jobTemplate: jobTemplate("complete") },
  });
  const seen = new Set<string>();
  for (let run = 1; run <= 3; run++) {
    await client.waitFor(CronJob, ref, ({ status }) => status?.active?.length === 0, within);
    await clock.advance(MINUTE);
    const succeeded = async () => {
      const { items } = await client.list(Job, { namespace });
      for (const { metadata, status } of items) if (status.succeeded === 1) seen.add(metadata.name);
      return seen.size;
    };
    // The operator's clock is ahead of the server's creationTimestamp, so that one run can be due before the clock advances.
    await expect.poll(succeeded, within).toBeGreaterThanOrEqual(run);
    expect(seen.size).toBeLessThanOrEqual(run + 1);
  }
  await clock.advance(MINUTE);
  await expect.poll(async () => (await client.list(Job, { namespace })).items.length, within).toBeLessThanOrEqual(2);
  await client.delete(CronJob, ref);
  await expect.poll(async () => (await client.list(Job, { namespace })).items, within).toEqual([]);
});

test("Replace deletes the Job that runs", async ({ client, namespace }) => {
  const ref = { name: "long", namespace };
  const spec = { schedule: {}, concurrencyPolicy: "Replace" as const, jobTemplate: jobTemplate("run") };
  await client.create(CronJob, { metadata: ref, spec });
  const runs = async () => (await client.list(Job, { namespace })).items.map(({ metadata }) => metadata.name);
  const next = async () => {
    await client.waitFor(CronJob, ref, ({ status }) => status !== undefined, within);
    const before = await runs();
    await clock.advance(MINUTE);
    await expect.poll(async () => (await runs()).filter((name) => !before.includes(name)), within).toHaveLength(1);
    await expect.poll(runs, within).toHaveLength(1);
    return (await runs())[0];
  };
  expect(await next()).not.toBe(await next());
});
