import { Job } from "pintle/kinds/batch/v1";
import type { Scenario, World } from "../scenario.ts";
import { template } from "./make.ts";

const job = ({ client, namespace }: World, name: string, spec: object, annotations: Readonly<Record<string, string>> = {}) => {
  const { metadata, spec: pod } = template(name, "work:1", annotations);
  return client.create(Job, {
    metadata: { name, namespace },
    spec: { template: { metadata, spec: { ...pod!, restartPolicy: "Never" } }, ...spec },
  });
};
const get = ({ client, namespace }: World, name: string) => client.get(Job, { name, namespace });
const is = (type: string, { status }: Job) =>
  status.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
const all =
  (type: string, ...names: readonly string[]) =>
  async (world: World) =>
    (await Promise.all(names.map(async (name) => is(type, await get(world, name))))).every(Boolean);
const FAILS = { "node.pintle.dev/behaviour": "fail" };
const RUNS = { "node.pintle.dev/behaviour": "run" };

export const jobs: Scenario = {
  name: "jobs",
  sample: true,
  steps: [
    {
      name: "to the end",
      async act(world) {
        await job(world, "once", {});
        await job(world, "thrice", { completions: 3, parallelism: 2 });
        await job(world, "queue", { parallelism: 2, completions: null });
        await job(world, "nothing", { completions: 0 });
      },
      until: all("Complete", "once", "thrice", "queue", "nothing"),
    },
    {
      name: "suspended",
      act: (world) => job(world, "paused", { suspend: true, parallelism: 2, completions: 2 }, RUNS),
      until: all("Suspended", "paused"),
    },
    {
      name: "resumed",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { suspend: false } } }),
      until: async (world) => (await get(world, "paused")).status.ready === 2,
    },
    {
      name: "less at once",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { parallelism: 1 } } }),
      until: async (world) => (await get(world, "paused")).status.active === 1 && (await get(world, "paused")).status.terminating === 0,
    },
    {
      name: "suspended again",
      act: ({ client, namespace }) => client.patch(Job, { name: "paused", namespace }, { merge: { spec: { suspend: true } } }),
      until: async (world) =>
        (await get(world, "paused")).status.active === undefined && (await get(world, "paused")).status.terminating === 0,
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
      async act(world) {
        await job(world, "indexed", { completionMode: "Indexed", completions: 4, parallelism: 2 });
        await job(world, "enough", {
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
      async act(world) {
        await job(world, "no-retry", { backoffLimit: 0 }, FAILS);
        await job(world, "late", { activeDeadlineSeconds: 8 }, RUNS);
        const onExitCodes = { operator: "In", values: [42] };
        await job(
          world,
          "policy",
          { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes }] } },
          { ...FAILS, "node.pintle.dev/exit-code": "42" },
        );
        await job(
          world,
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
      act: (world) => job(world, "stubborn", { backoffLimit: 1 }, FAILS),
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
