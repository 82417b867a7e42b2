import { controller, defineResource, webhook, z } from "pintle";
import { Job } from "pintle/kinds/batch/v1";
import { virtualClock } from "pintle/testing";
import { describe, expect, test as plainTest } from "vitest";
import { clusterTest, useCluster } from "../../src/vitest/index.ts";

const MINUTE = 60_000;

const schedule = z.object({ minute: z.string().default("*"), hour: z.string().default("*") });
const CronJob = defineResource({
  group: "batch.example.com",
  version: "v2",
  kind: "CronJob",
  spec: z.object({ schedule, image: z.string(), keep: z.int32().optional() }),
  status: z.object({ active: z.int32(), lastScheduleTime: z.string().optional() }),
}).older({
  version: "v1",
  spec: z.object({ schedule: z.string(), image: z.string(), keep: z.int32().optional() }),
  toHub: ({ spec: { schedule, ...spec } }) => {
    const [minute = "*", hour = "*"] = schedule.split(" ");
    return { spec: { ...spec, schedule: { minute, hour } } };
  },
  fromHub: ({ spec: { schedule, ...spec } }) => ({ spec: { ...spec, schedule: `${schedule.minute} ${schedule.hour}` } }),
});

let passes = 0;
const cronJobs = controller(CronJob, {
  owns: [Job],
  reconcile({ object, owned, want }) {
    passes++;
    const { name } = object.metadata;
    const containers = [{ name: "main", image: object.spec.image }];
    const job = Job.desired({ metadata: { name }, spec: { template: { spec: { restartPolicy: "Never", containers } } } });
    return want({ children: { job }, status: { active: owned(Job).get(name)?.status.active ?? 0 }, requeueAfter: "1m" });
  },
});

const cronJobWebhook = webhook(CronJob, {
  default(object) {
    object.spec.keep ??= 3;
  },
  validate: ({ object }) =>
    object !== undefined && object.metadata.name.length > 52
      ? [{ field: "metadata.name", message: "must be no more than 52 characters" }]
      : [],
});

const operator = { controllers: [cronJobs], webhooks: [cronJobWebhook], resources: [CronJob] };
const nightly = (namespace: string, name = "nightly") => ({
  metadata: { name, namespace },
  spec: { schedule: { minute: "0", hour: "3" }, image: "backup" },
});

describe("clusterTest({ operator }) with the real clock", () => {
  const test = clusterTest({ operator });

  test("mutating webhook, controller and conversion work without further setup", async ({ cluster, client, namespace }) => {
    await client.create(CronJob.at.v1, { metadata: { name: "nightly", namespace }, spec: { schedule: "0 3", image: "backup" } });
    await cluster.settled();
    const ref = { name: "nightly", namespace };
    expect((await client.get(CronJob, ref)).spec).toEqual({ schedule: { minute: "0", hour: "3" }, image: "backup", keep: 3 });
    expect((await client.get(CronJob.at.v1, ref)).spec).toEqual({ schedule: "0 3", image: "backup", keep: 3 });
    expect((await client.get(Job, ref)).spec.template.spec?.containers[0]?.image).toBe("backup");
  });

  test("the validating webhook refuses", async ({ client, namespace }) => {
    await expect(client.create(CronJob, nightly(namespace, "n".repeat(53)))).rejects.toThrow("must be no more than 52 characters");
  });

  test("every test has its own objects and its own operator", async ({ client, operator }) => {
    expect((await client.list(CronJob)).items).toEqual([]);
    expect(operator.isLeading).toBe(true);
    expect(operator.health().every(({ isFresh }) => isFresh)).toBe(true);
  });

  test("the operator has the permissions that its controllers declare", async ({ cluster, client, namespace }) => {
    await client.create(CronJob, nightly(namespace));
    await cluster.settled();
    const user = "system:serviceaccount:operator-system:operator-under-test";
    expect(cluster.journal.matching({ user, verb: "patch", resource: "jobs", name: "nightly" })[0]?.code).toBe(201);
    expect(cluster.journal.matching({ user }).filter(({ code }) => code === 403)).toEqual([]);
  });
});

describe("clusterTest({ operator, setup, clock }) with a virtual clock", () => {
  const test = clusterTest({
    operator,
    clock: virtualClock("2026-01-01T00:00:00Z"),
    setup: ({ client }) =>
      client.create(CronJob.at.v1, { metadata: { name: "early", namespace: "default" }, spec: { schedule: "5 4", image: "a" } }),
  });

  test("setup runs with webhooks, conversion and controllers", async ({ cluster, client }) => {
    const ref = { name: "early", namespace: "default" };
    expect((await client.get(CronJob, ref)).spec).toEqual({ schedule: { minute: "5", hour: "4" }, image: "a", keep: 3 });
    expect((await client.get(Job, ref)).metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    expect(cluster.clock.now()).toBe(Date.parse("2026-01-01T00:00:00Z"));
  });

  test("the operator follows the clock of the cluster", async ({ cluster }) => {
    await cluster.settled();
    const before = passes;
    await cluster.advance(10 * MINUTE);
    expect(passes - before).toBe(10);
  });
});

describe("useCluster({ operator })", () => {
  const context = useCluster({ operator });

  plainTest("runs one operator for all tests of the file", async () => {
    await context.client.create(CronJob.at.v1, { metadata: { name: "a", namespace: "default" }, spec: { schedule: "0 3", image: "a" } });
    await context.cluster.settled();
    expect((await context.client.get(CronJob, { name: "a", namespace: "default" })).spec.keep).toBe(3);
  });
});
