import { type Client, createClient } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Event, Node, PersistentVolumeClaim, Pod, Service } from "pintle/kinds/core/v1";
import { Ingress, IngressClass } from "pintle/kinds/networking/v1";
import { seededRandom, type VirtualClock, virtualClock } from "pintle/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/index.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const namespace = "default";

let clock: VirtualClock;
let cluster: Cluster;
let client: Client;
async function startTestCluster(options: ClusterOptions = {}): Promise<void> {
  clock = virtualClock("2026-01-01T00:00:00Z");
  cluster = await startCluster({ clock, random: seededRandom(1), ...options });
  client = createClient(cluster.transport);
  await cluster.ready;
  await clock.settle();
}
beforeEach(() => startTestCluster());
afterEach(() => cluster.stop());

const template = (annotations: Readonly<Record<string, string>> = {}) => ({
  metadata: { labels: { app: "work" }, annotations },
  spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "work:1" }] },
});
const FAILS = { "node.pintle.dev/behaviour": "fail" };
const RUNS = { "node.pintle.dev/behaviour": "run" };
const reasonsOf = async (kind: string) =>
  (await client.list(Event, { namespace })).items.filter(({ involvedObject }) => involvedObject.kind === kind).map(({ reason }) => reason);

describe("CronJobs", () => {
  const cron = (spec: object) =>
    client.create(CronJob, {
      metadata: { name: "tick", namespace },
      spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: template() } }, ...spec },
    });

  test("create a Job every night and keep the history limit", async () => {
    await cron({ timeZone: "America/New_York" });
    await clock.advance(7 * 24 * HOUR);
    const { status } = await client.get(CronJob, { name: "tick", namespace });
    expect(status.lastScheduleTime).toBe("2026-01-07T08:00:00Z");
    expect(status.lastSuccessfulTime).toBe("2026-01-07T08:00:00Z");
    expect(status.active ?? []).toEqual([]);
    // The history limit keeps three of seven Jobs.
    expect((await client.list(Job, { namespace })).items.map(({ metadata }) => metadata.name)).toHaveLength(3);
  });

  test.each([
    ["Forbid", 1, "JobAlreadyActive"],
    ["Allow", 3, "SuccessfulCreate"],
    ["Replace", 1, "SuccessfulDelete"],
  ])("apply the concurrency policy %s while a Job runs", async (concurrencyPolicy, running, reason) => {
    await cron({ schedule: "* * * * *", concurrencyPolicy, jobTemplate: { spec: { template: template(RUNS) } } });
    await clock.advance(3 * MINUTE + SECOND);
    expect((await client.get(CronJob, { name: "tick", namespace })).status.active).toHaveLength(running);
    expect(await reasonsOf("CronJob")).toContain(reason);
  });

  test("skip missed times after the starting deadline", async () => {
    await cron({ schedule: "0 * * * *", suspend: true, startingDeadlineSeconds: 60 });
    await clock.advance(3 * HOUR + 10 * MINUTE);
    await client.patch(CronJob, { name: "tick", namespace }, { merge: { spec: { suspend: false } } });
    await clock.advance(MINUTE);
    expect((await client.list(Job, { namespace })).items).toEqual([]);
    await clock.advance(HOUR);
    expect((await client.list(Job, { namespace })).items).toHaveLength(1);
  });
});

describe("Jobs", () => {
  const job = (spec: object, annotations = {}) =>
    client.create(Job, { metadata: { name: "work", namespace }, spec: { template: template(annotations), ...spec } });
  const failures = async () => (await client.get(Job, { name: "work", namespace })).status.failed ?? 0;

  test("double the backoff after each failure", async () => {
    await job({ backoffLimit: 3 }, FAILS);
    const failureTimes: number[] = [];
    for (let seconds = 0; seconds <= 75; seconds += 5) {
      await clock.advance(seconds === 0 ? 0 : 5 * SECOND);
      const count = await failures();
      if (count > failureTimes.length) failureTimes.push(seconds);
    }
    expect(failureTimes).toEqual([0, 10, 30, 70]);
    expect((await client.get(Job, { name: "work", namespace })).status.conditions?.at(-1)).toMatchObject({
      type: "Failed",
      reason: "BackoffLimitExceeded",
    });
  });

  test("fail at the active deadline and are deleted with their pods after the TTL", async () => {
    await job({ activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 3600 }, RUNS);
    await clock.advance(599 * SECOND);
    expect((await client.get(Job, { name: "work", namespace })).status.active).toBe(1);
    await clock.advance(2 * SECOND);
    expect((await client.get(Job, { name: "work", namespace })).status.conditions?.at(-1)).toMatchObject({
      type: "Failed",
      reason: "DeadlineExceeded",
    });
    await clock.advance(3590 * SECOND);
    expect(await client.find(Job, { name: "work", namespace })).toBeDefined();
    await clock.advance(20 * SECOND);
    expect(await client.find(Job, { name: "work", namespace })).toBeUndefined();
    expect((await client.list(Pod, { namespace })).items).toEqual([]);
  });
});

test("restarts a crashing pod with an increasing back-off", async () => {
  await client.create(Pod, {
    metadata: { name: "sick", namespace, annotations: { "node.pintle.dev/behaviour": "crash-loop" } },
    spec: { containers: [{ name: "main", image: "a" }] },
  });
  await clock.advance(0);
  const status = async () => (await client.get(Pod, { name: "sick", namespace })).status.containerStatuses?.[0];
  expect((await status())?.state?.waiting?.reason).toBe("CrashLoopBackOff");
  await clock.advance(11 * SECOND);
  expect((await status())?.restartCount).toBe(1);
  await clock.advance(15 * SECOND);
  expect((await status())?.restartCount).toBe(1);
  await clock.advance(10 * SECOND);
  expect((await status())?.restartCount).toBe(2);
});

test("fails a rollout without progress at its deadline", async () => {
  const sick = { ...template({ "node.pintle.dev/behaviour": "never-ready" }), spec: { containers: [{ name: "main", image: "a" }] } };
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { progressDeadlineSeconds: 60, selector: { matchLabels: { app: "work" } }, template: sick },
  });
  const progress = async () =>
    (await client.get(Deployment, { name: "web", namespace })).status.conditions?.find(({ type }) => type === "Progressing");
  await clock.advance(55 * SECOND);
  expect((await progress())?.reason).toBe("ReplicaSetUpdated");
  await clock.advance(10 * SECOND);
  expect(await progress()).toMatchObject({ status: "False", reason: "ProgressDeadlineExceeded" });
});

test("deletes events after an hour", async () => {
  await client.create(Pod, { metadata: { name: "a", namespace }, spec: { containers: [{ name: "main", image: "a" }] } });
  await clock.advance(MINUTE);
  expect(await reasonsOf("Pod")).toEqual(expect.arrayContaining(["Scheduled", "Pulled", "Created", "Started"]));
  await clock.advance(2 * HOUR);
  expect(await reasonsOf("Pod")).toEqual([]);
});

test("taints an unreachable node and evicts its pods after their toleration", async () => {
  await client.create(Node, { metadata: { name: "lost" } });
  await client.create(Lease, {
    metadata: { name: "lost", namespace: "kube-node-lease" },
    spec: { holderIdentity: "lost", leaseDurationSeconds: 40 },
  });
  const conditions = [{ type: "Ready", status: "True" as const, reason: "KubeletReady", message: "" }];
  await client.status.patch(Node, { name: "lost" }, { merge: { status: { conditions } } });
  await client.create(Pod, {
    metadata: { name: "there", namespace },
    spec: { nodeName: "lost", containers: [{ name: "main", image: "a" }] },
  });
  await clock.advance(45 * SECOND);
  expect((await client.get(Node, { name: "lost" })).spec.taints ?? []).toEqual([]);
  await clock.advance(10 * SECOND);
  const { spec, status } = await client.get(Node, { name: "lost" });
  expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "Unknown", reason: "NodeStatusUnknown" });
  expect(spec.taints?.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
    "node.kubernetes.io/unreachable NoSchedule",
    "node.kubernetes.io/unreachable NoExecute",
  ]);
  // The default toleration of every pod is five minutes.
  await clock.advance(290 * SECOND);
  expect((await client.get(Pod, { name: "there", namespace })).metadata.deletionTimestamp).toBeUndefined();
  await clock.advance(20 * SECOND);
  expect((await client.get(Pod, { name: "there", namespace })).metadata.deletionTimestamp).toBeDefined();
  await client.delete(Node, { name: "lost" });
  await clock.advance(MINUTE);
  expect(await client.find(Pod, { name: "there", namespace })).toBeUndefined();
});

describe("Pods on simulated nodes", () => {
  const create = (annotations: Readonly<Record<string, string>>, spec: object = {}) =>
    client.create(Pod, { metadata: { name: "a", namespace, annotations }, spec: { ...template().spec, restartPolicy: "Always", ...spec } });
  const get = () => client.get(Pod, { name: "a", namespace });
  const readyOf = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "Ready")?.status;
  const setImage = (image: string) =>
    client.patch(Pod, { name: "a", namespace }, { strategic: { spec: { containers: [{ name: "main", image }] } } });

  test("restart a container whose image changes", async () => {
    await create({});
    await clock.advance(SECOND);
    await setImage("work:2");
    await clock.advance(SECOND);
    const pod = await get();
    expect(pod.status).toMatchObject({
      phase: "Running",
      observedGeneration: pod.metadata.generation,
      containerStatuses: [{ image: "work:2", ready: true, restartCount: 1, lastState: { terminated: { exitCode: 143 } } }],
    });
    expect(readyOf(pod)).toBe("True");
    const messages = (await client.list(Event, { namespace })).items.map(({ message }) => message);
    expect(messages).toContain("Container main definition changed, will be restarted");
    expect(messages).toContain('Container image "work:2" already present on machine');
  });

  test("are ready again after their delay when the image changes", async () => {
    await create({ "node.pintle.dev/ready-after": "10" });
    await clock.advance(11 * SECOND);
    expect(readyOf(await get())).toBe("True");
    await setImage("work:2");
    await clock.advance(5 * SECOND);
    expect(readyOf(await get())).toBe("False");
    await clock.advance(6 * SECOND);
    expect(readyOf(await get())).toBe("True");
  });

  test("observe other changes of their spec without a restart", async () => {
    await create({});
    await clock.advance(SECOND);
    await client.patch(Pod, { name: "a", namespace }, { merge: { spec: { activeDeadlineSeconds: 3600 } } });
    await clock.advance(SECOND);
    const pod = await get();
    expect(pod.metadata.generation).toBe(2);
    expect(pod.status).toMatchObject({ observedGeneration: 2, containerStatuses: [{ restartCount: 0 }] });
  });

  test("follow their readiness gates", async () => {
    await create({}, { readinessGates: [{ conditionType: "example.com/gate" }] });
    await clock.advance(SECOND);
    expect(readyOf(await get())).toBe("False");
    const conditions = [{ type: "example.com/gate", status: "True" as const }];
    await client.status.patch(Pod, { name: "a", namespace }, { strategic: { status: { conditions } } });
    await clock.advance(SECOND);
    expect(readyOf(await get())).toBe("True");
  });
});

test("assigns addresses to load balancers and ingresses", async () => {
  const service = { metadata: { name: "web", namespace }, spec: { type: "LoadBalancer" as const, ports: [{ port: 80 }] } };
  await client.create(Service, service);
  await client.create(IngressClass, { metadata: { name: "local" }, spec: { controller: "pintle.dev/ingress" } });
  const backend = { service: { name: "web", port: { number: 80 } } };
  await client.create(Ingress, { metadata: { name: "web", namespace }, spec: { ingressClassName: "local", defaultBackend: backend } });
  await client.create(Ingress, { metadata: { name: "other", namespace }, spec: { ingressClassName: "nginx", defaultBackend: backend } });
  await clock.advance(SECOND);
  const addressOf = ({
    status,
  }: {
    status: { loadBalancer?: { ingress?: readonly { ip?: string | undefined }[] | undefined } | undefined };
  }) => status.loadBalancer?.ingress?.[0]?.ip;
  expect(addressOf(await client.get(Service, { name: "web", namespace }))).toMatch(/^198\.51\.100\./);
  expect(addressOf(await client.get(Ingress, { name: "web", namespace }))).toMatch(/^198\.51\.100\./);
  expect(addressOf(await client.get(Ingress, { name: "other", namespace }))).toBeUndefined();
  await client.delete(Service, { name: "web", namespace });
  await clock.advance(SECOND);
  expect(await client.find(Service, { name: "web", namespace })).toBeUndefined();
});

test("disables controllers by name, with the admission plugins that depend on them", async () => {
  await cluster.stop();
  await startTestCluster({ without: ["serviceaccount-controller", "persistentvolumeclaim-protection-controller", "job-controller"] });
  const pod = await client.create(Pod, { metadata: { name: "a", namespace }, spec: { containers: [{ name: "main", image: "a" }] } });
  expect(pod.spec.volumes ?? []).toEqual([]);
  const claim = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  expect(
    (await client.create(PersistentVolumeClaim, { metadata: { name: "a", namespace }, spec: claim })).metadata.finalizers ?? [],
  ).toEqual([]);
  await client.create(Job, { metadata: { name: "work", namespace }, spec: { template: template() } });
  await clock.advance(MINUTE);
  expect((await client.list(Pod, { namespace })).items.map(({ metadata }) => metadata.name)).toEqual(["a"]);
});
