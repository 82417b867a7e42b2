import { clusterTest } from "@pintle/cluster/vitest";
import { expect } from "vitest";
import { CronJob } from "../src/cronjob.ts";
import { cronJob } from "../src/cronjob-controller.ts";
import { cronJobWebhook } from "../src/cronjob-webhook.ts";

const jobTemplate = { spec: { template: { spec: { containers: [{ name: "hello", image: "busybox:1.37" }] } } } };
const test = clusterTest({ operator: { controllers: [cronJob], webhooks: [cronJobWebhook] } });

test("v1 and v2 are the same object", async ({ client, namespace }) => {
  const ref = { name: "old", namespace };
  await client.create(CronJob.at.v1, { metadata: ref, spec: { schedule: "*/5 3 * * 1-5", jobTemplate } });
  const { spec } = await client.get(CronJob, ref);
  expect(spec.schedule).toEqual({ minute: "*/5", hour: "3", dayOfMonth: "*", month: "*", dayOfWeek: "1-5" });
  await client.patch(CronJob, ref, { merge: { spec: { schedule: { hour: "4" } } } });
  expect((await client.get(CronJob.at.v1, ref)).spec.schedule).toBe("*/5 4 * * 1-5");
});

test("the restartPolicy that a Job needs is the default, in every version", async ({ client, namespace }) => {
  const policyOf = async (name: string) =>
    (await client.get(CronJob, { name, namespace })).spec.jobTemplate.spec?.template.spec?.restartPolicy;
  await client.create(CronJob.at.v1, { metadata: { name: "a", namespace }, spec: { schedule: "0 0 * * *", jobTemplate } });
  expect(await policyOf("a")).toBe("OnFailure");
  const merge = { spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: "Never" } } } } } };
  await client.patch(CronJob, { name: "a", namespace }, { merge });
  expect(await policyOf("a")).toBe("Never");
});

test.for([
  ["a minute that does not exist", "61 * * * *", /spec\.schedule: .*61 \* \* \* \* is not a schedule: .*minute/],
  ["a day that never comes", "0 0 30 2 *", /spec\.schedule: .*0 0 30 2 \* is never due/],
  ["a schedule of four fields", "* * * *", /spec\.schedule: \* \* \* \* must have five fields/],
] as const)("%s is refused", async ([, schedule, words], { client, namespace }) => {
  const create = client.create(CronJob.at.v1, { metadata: { name: "bad", namespace }, spec: { schedule, jobTemplate } });
  await expect(create).rejects.toThrow(words);
});

test("a name that leaves no room for the time of a run is refused", async ({ client, namespace }) => {
  const metadata = { name: "a".repeat(53), namespace };
  await expect(client.create(CronJob, { metadata, spec: { schedule: {}, jobTemplate } })).rejects.toThrow("at most 52 characters");
});
