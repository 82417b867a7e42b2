import { startCluster } from "@pintle/cluster";
import { CronJob } from "pintle/kinds/batch/v1";
import { virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { runClusterLifecycles } from "../../packages/cluster/test/testing/cluster-lifecycles.ts";
import { full } from "../sampling.ts";

const HOUR = 3_600_000;

test("a CronJob that runs every five minutes creates its Jobs for a week", { timeout: 600_000 }, async () => {
  const hours = full ? 7 * 24 : 3;
  const cluster = await startCluster({ clock: virtualClock("2026-01-01T00:00:00Z") });
  const client = cluster.client();
  const ref = { name: "tick", namespace: "default" };
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "a" }] } };
  await client.create(CronJob, { metadata: ref, spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } } } });
  let runs = 0;
  const started = performance.now();
  for (let hour = 0; hour < hours; hour++) {
    cluster.journal.clear();
    await cluster.advance(HOUR);
    runs += cluster.journal.matching({ verb: "create", resource: "jobs", code: 201 }).length;
  }
  console.log(`${hours} hours of a CronJob, ${runs} runs: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  expect(runs).toBe(hours * 12);
  const last = new Date(Date.parse("2026-01-01T00:00:00Z") + hours * HOUR).toISOString().replace(".000Z", "Z");
  expect((await client.get(CronJob, ref)).status).toMatchObject({ lastScheduleTime: last, lastSuccessfulTime: last });
  await cluster.stop();
});

test("clusters start and stop repeatedly in one process without leaks", { timeout: 600_000 }, async () => {
  const count = full ? 200 : 10;
  const { heap, handles } = await runClusterLifecycles(count);
  console.log(`${count} clusters: ${(heap / 1000).toFixed(1)} kB of each stayed`);
  expect(handles).toEqual([]);
  expect(heap).toBeLessThan(full ? 30_000 : 200_000);
});
