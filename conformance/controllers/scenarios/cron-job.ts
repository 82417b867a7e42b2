import { CronJob } from "pintle/kinds/batch/v1";
import type { Scenario } from "../scenario.ts";
import { buildPodTemplate } from "./builders.ts";

const spec = (more: object) => {
  const { metadata, spec: pod } = buildPodTemplate("tick", "work:1");
  return {
    schedule: "* * * * *",
    jobTemplate: {
      metadata: { labels: { tier: "batch" } },
      spec: { template: { metadata, spec: { ...pod!, restartPolicy: "OnFailure" as const } } },
    },
    ...more,
  };
};

export const cronJob: Scenario = {
  name: "cron job",
  steps: [
    {
      name: "the first time",
      async act({ client, namespace }) {
        await client.create(CronJob, { metadata: { name: "tick", namespace }, spec: spec({ timeZone: "Asia/Kolkata" }) });
        await client.create(CronJob, { metadata: { name: "asleep", namespace }, spec: spec({ suspend: true }) });
      },
      until: async ({ client, namespace }) =>
        (await client.get(CronJob, { name: "tick", namespace })).status.lastSuccessfulTime !== undefined,
    },
    {
      name: "no more",
      async act({ client, namespace }) {
        await client.delete(CronJob, { name: "tick", namespace });
      },
      until: async ({ client, namespace }) => (await client.find(CronJob, { name: "tick", namespace })) === undefined,
    },
  ],
};
