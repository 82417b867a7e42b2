import { controller, silentLogger, startManager } from "pintle";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { ConfigMap, Event, Node, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const namespace = "default";
let base: Cluster;
beforeAll(async () => {
  base = await startCluster({ clock: virtualClock("2026-01-01T00:00:00Z"), random: seededRandom(1) });
  await base.ready;
  await base.settled();
});
afterAll(() => base.stop());

const template = (restartPolicy: "Never" | "Always") => ({
  metadata: { labels: { app: "a" } },
  spec: { restartPolicy, containers: [{ name: "main", image: "a" }] },
});

test("runs a CronJob every minute for an hour", async () => {
  await using cluster = await base.fork();
  const client = cluster.client();
  await client.create(CronJob, {
    metadata: { name: "tick", namespace },
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: template("Never") } } },
  });
  await cluster.advance(HOUR);
  expect(
    cluster.journal.matching({ verb: "create", resource: "jobs", code: 201 }).map(({ at }) => new Date(at).toISOString().slice(11, 19)),
  ).toEqual(Array.from({ length: 12 }, (_, i) => new Date((i + 1) * 5 * MINUTE).toISOString().slice(11, 19)));
  const { status } = await client.get(CronJob, { name: "tick", namespace });
  expect(status).toMatchObject({ lastScheduleTime: "2026-01-01T01:00:00Z", lastSuccessfulTime: "2026-01-01T01:00:00Z" });
  expect(status.active ?? []).toEqual([]);
  expect((await client.list(Job, { namespace })).items).toHaveLength(3);
});

test("expires leases, finished Jobs and Events by the virtual clock", async () => {
  await using cluster = await base.fork();
  const client = cluster.client();
  await client.create(Job, { metadata: { name: "once", namespace }, spec: { ttlSecondsAfterFinished: 600, template: template("Never") } });
  await client.create(Node, { metadata: { name: "lost" } });
  await client.create(Lease, { metadata: { name: "lost", namespace: "kube-node-lease" }, spec: { leaseDurationSeconds: 40 } });
  await client.status.patch(Node, { name: "lost" }, { merge: { status: { conditions: [{ type: "Ready", status: "True" }] } } });
  const ready = async () => (await client.get(Node, { name: "lost" })).status.conditions?.find(({ type }) => type === "Ready")?.status;
  await cluster.advance(30 * SECOND);
  expect(await ready()).toBe("True");
  await cluster.advance(30 * SECOND);
  expect(await ready()).toBe("Unknown");
  expect(await client.find(Job, { name: "once", namespace })).toBeDefined();
  await cluster.advance(10 * MINUTE);
  expect(await client.find(Job, { name: "once", namespace })).toBeUndefined();
  expect((await client.list(Event)).items.length).toBeGreaterThan(0);
  await cluster.advance(2 * HOUR);
  expect((await client.list(Event, { namespace })).items).toEqual([]);
});

test("backs off restarts of a crashing pod", async () => {
  await using cluster = await base.fork();
  const client = cluster.client();
  await client.create(Pod, {
    metadata: { name: "sick", namespace, annotations: { "node.pintle.dev/behaviour": "crash-loop" } },
    spec: template("Always").spec,
  });
  const restarts: number[] = [];
  for (let minute = 0; minute < 12; minute++) {
    await cluster.advance(MINUTE);
    restarts.push((await client.get(Pod, { name: "sick", namespace })).status.containerStatuses?.[0]?.restartCount ?? 0);
  }
  // 10, 20, 40, 80, 160 and then every 300 seconds.
  expect(restarts).toEqual([2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6]);
});

test("expires a token by the virtual clock", async () => {
  await using cluster = await base.fork({ plainHttp: true });
  const client = cluster.client();
  await client.create(ServiceAccount, { metadata: { name: "robot", namespace } });
  const { token } = await client.createToken(ServiceAccount, { name: "robot", namespace }, { expirationSeconds: 600 });
  const createToken = async () =>
    (
      await fetch(`${cluster.plainUrl}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
      })
    ).status;
  expect(await createToken()).toBe(201);
  await cluster.advance(600 * SECOND);
  expect(await createToken()).toBe(201);
  await cluster.advance(61 * SECOND);
  expect(await createToken()).toBe(401);
});

test("runs an operator on the same virtual clock", async () => {
  await using cluster = await base.fork();
  const client = cluster.client();
  const seen: string[] = [];
  const hourly = controller(ConfigMap, {
    name: "hourly",
    reconcile({ object, want }) {
      if (object.data?.["every"] !== undefined) seen.push(new Date(cluster.clock.now()).toISOString().slice(11, 16));
      return want({ requeueAfter: object.data?.["every"] === undefined ? undefined : HOUR });
    },
  });
  const operator = startManager({ controllers: [hourly], client, clock: cluster.clock, logger: silentLogger });
  await operator.ready;
  await client.create(ConfigMap, { metadata: { name: "a", namespace, labels: { hourly: "yes" } }, data: { every: "hour" } });
  await cluster.advance(3 * HOUR);
  expect(seen).toEqual(["00:00", "01:00", "02:00", "03:00"]);
  await operator.stop();
});
