import { Job } from "pintle/kinds/batch/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate } from "./builders.ts";

const job = ({ client, namespace }: ScenarioContext, name: string, spec: object, annotations: Readonly<Record<string, string>> = {}) => {
  const { metadata, spec: pod } = buildPodTemplate(name, "work:1", annotations);
  return client.create(Job, {
    metadata: { name, namespace },
    spec: { template: { metadata, spec: { ...pod!, restartPolicy: "Never" } }, ...spec },
  });
};
const get = ({ client, namespace }: ScenarioContext, name: string) => client.get(Job, { name, namespace });
const is = (type: string, { status }: Job) =>
  status.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
const all =
  (type: string, ...names: readonly string[]) =>
  async (context: ScenarioContext) =>
    (await Promise.all(names.map(async (name) => is(type, await get(context, name))))).every(Boolean);
const FAILS = { "node.pintle.dev/behaviour": "fail" };
const RUNS = { "node.pintle.dev/behaviour": "run" };

export const jobs: Scenario = {
  name: "jobs",
  sample: true,
  steps: [
    {
      name: "to the end",
      async act(context) {
        await job(context, "once", {});
        await job(context, "thrice", { completions: 3, parallelism: 2 });
        await job(context, "queue", { parallelism: 2, completions: null });
        await job(context, "nothing", { completions: 0 });
      },
      until: all("Complete", "once", "thrice", "queue", "nothing"),
    },
    {
      name: "suspended",
      act: (context) => job(context, "paused", { suspend: true, parallelism: 2, completions: 2 }, RUNS),
      until: all("Suspended", "paused"),
    },
    {
      name: "resumed",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { suspend: false } } }),
      until: async (context) => (await get(context, "paused")).status.ready === 2,
    },
    {
      name: "less at once",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { parallelism: 1 } } }),
      until: async (context) =>
        (await get(context, "paused")).status.active === 1 && (await get(context, "paused")).status.terminating === 0,
    },
    {
      name: "suspended again",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { suspend: true } } }),
      until: async (context) =>
        (await get(context, "paused")).status.active === undefined && (await get(context, "paused")).status.terminating === 0,
    },
    {
      name: "deleted",
      async act({ client, namespace }) {
        for (const name of ["once", "thrice", "queue", "nothing", "paused"])
          await client.delete(Job, { name, namespace }, { propagation: "Foreground" });
      },
      until: async ({ client, namespace }) => (await client.list(Job, { namespace })).items.length === 0,
    },
  ],
};

export const jobsWithIndexes: Scenario = {
  name: "jobs with indexes",
  sample: true,
  steps: [
    {
      name: "to the end",
      async act(context) {
        await job(context, "indexed", { completionMode: "Indexed", completions: 4, parallelism: 2 });
        await job(context, "enough", {
          completionMode: "Indexed",
          completions: 3,
          parallelism: 3,
          successPolicy: { rules: [{ succeededIndexes: "0-2", succeededCount: 3 }] },
        });
      },
      until: all("Complete", "indexed", "enough"),
    },
  ],
};

export const jobsThatFail: Scenario = {
  name: "jobs that fail",
  sample: true,
  steps: [
    {
      name: "at once",
      async act(context) {
        await job(context, "no-retry", { backoffLimit: 0 }, FAILS);
        await job(context, "late", { activeDeadlineSeconds: 8 }, RUNS);
        const onExitCodes = { operator: "In", values: [42] };
        await job(
          context,
          "policy",
          { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes }] } },
          { ...FAILS, "node.pintle.dev/exit-code": "42" },
        );
        await job(
          context,
          "by-index",
          { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
          FAILS,
        );
      },
      until: all("Failed", "no-retry", "late", "policy", "by-index"),
    },
  ],
};

export const backoff: Scenario = {
  name: "a job that tries again",
  steps: [
    {
      name: "until it gives up",
      act: (context) => job(context, "stubborn", { backoffLimit: 1 }, FAILS),
      until: all("Failed", "stubborn"),
    },
    {
      name: "and is forgotten",
      act: ({ client, namespace }) =>
        client.patch(Job, { name: "stubborn", namespace }, { merge: { spec: { ttlSecondsAfterFinished: 1 } } }),
      until: async ({ client, namespace }) => (await client.find(Job, { name: "stubborn", namespace })) === undefined,
    },
  ],
};
