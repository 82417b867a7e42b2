import { Conflict } from "pintle/client";
import { CronJob } from "pintle/kinds/batch/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { startCluster, testAuthority } from "../../../src/index.ts";

const container = { name: "main", image: "a" };
const nightly = {
  metadata: { name: "nightly", namespace: "default" },
  spec: {
    schedule: "0 0 * * *",
    jobTemplate: { spec: { template: { spec: { restartPolicy: "Never" as const, containers: [container] } } } },
  },
};
const ref = { name: "a", namespace: "default" };

test("a CronJob runs every night while a virtual clock advances by a week", async () => {
  const cluster = await startCluster({ clock: virtualClock("2026-01-01T00:00:00Z") });
  const client = cluster.client();
  await client.create(CronJob, nightly);
  await cluster.advance(7 * 24 * 3600_000);
  expect((await client.get(CronJob, nightly.metadata)).status.lastSuccessfulTime).toBe("2026-01-08T00:00:00Z");
  await cluster.stop();
});

test("a fork keeps its own objects, the audit log lists requests, and an injected fault refuses one", async () => {
  const cluster = await startCluster({ clock: virtualClock(), random: seededRandom(1), authority: testAuthority });
  const client = cluster.client();
  await client.create(Namespace, { metadata: { name: "mine" } });
  await client.create(ConfigMap, { metadata: ref });

  const before = cluster.snapshot();
  const fork = await cluster.fork();
  await fork.client().delete(Namespace, { name: "mine" });
  expect(await client.find(Namespace, { name: "mine" })).toBeDefined();
  const restored = await startCluster({ from: before });
  expect(await restored.client().find(Namespace, { name: "mine" })).toBeDefined();

  cluster.journal.clear();
  await client.patch(ConfigMap, ref, { merge: { data: { a: "1" } } });
  await cluster.settled();
  expect(cluster.journal.matching({ verb: "patch", resource: "configmaps", name: "a" })).toMatchObject([
    { user: "kubernetes-admin", fieldManager: "pintle", code: 200, dryRun: false },
  ]);

  using conflict = cluster.faults.add({ on: { verb: "patch", resource: "configmaps" }, nth: 2, do: { status: 409 } });
  await client.patch(ConfigMap, ref, { merge: { data: { a: "2" } } });
  await expect(client.patch(ConfigMap, ref, { merge: { data: { a: "3" } } })).rejects.toThrow(Conflict);
  expect(conflict.hits).toBe(1);

  await Promise.all([cluster.stop(), fork.stop(), restored.stop()]);
});
