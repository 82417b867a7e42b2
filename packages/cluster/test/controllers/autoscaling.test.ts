import { type Client, createClient } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { Event, Pod, ReplicationController } from "pintle/kinds/core/v1";
import { seededRandom, type VirtualClock, virtualClock } from "pintle/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const namespace = "default";
const web = { name: "web", namespace };
const labels = { app: "web" };

let clock: VirtualClock;
let cluster: Cluster;
let client: Client;
beforeEach(async () => {
  clock = virtualClock("2026-01-01T00:00:00Z");
  cluster = await startCluster({ clock, random: seededRandom(1) });
  client = createClient(cluster.transport);
  await cluster.ready;
  await clock.settle();
});
afterEach(() => cluster.stop());

/** A pod whose container requests 100m, and uses as much if `usage` is not given. */
const template = (usage?: string) => ({
  metadata: { labels, ...(usage === undefined ? {} : { annotations: { "node.pintle.dev/cpu-usage": usage } }) },
  spec: { containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "100m" } } }] },
});
const deploy = (replicas: number, usage?: string) =>
  client.create(Deployment, { metadata: web, spec: { replicas, selector: { matchLabels: labels }, template: template(usage) } });
const scaler = (spec: object = {}) =>
  client.create(HorizontalPodAutoscaler, {
    metadata: web,
    spec: {
      minReplicas: 1,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
      ...spec,
    },
  });
const getReplicas = async () => (await client.get(Deployment, web)).spec.replicas;
const getConditions = async () =>
  Object.fromEntries(
    ((await client.get(HorizontalPodAutoscaler, web)).status.conditions ?? []).map(({ type, status, reason }) => [
      type,
      `${status} ${reason}`,
    ]),
  );
const listEvents = async () =>
  (await client.list(Event, { namespace })).items
    .filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler")
    .map(({ reason, message }) => `${reason}: ${message}`);

describe("a HorizontalPodAutoscaler", () => {
  test("raises replicas to minReplicas before it reads any metric", async () => {
    await deploy(1);
    await scaler({
      minReplicas: 3,
      metrics: [{ type: "External", external: { metric: { name: "x" }, target: { type: "Value", value: "1" } } }],
    });
    await clock.settle();
    expect(await getReplicas()).toBe(3);
    expect(await listEvents()).toEqual(["SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas"]);
  });

  test("lowers replicas to maxReplicas", async () => {
    await deploy(4);
    await scaler({ maxReplicas: 2 });
    await clock.settle();
    expect(await getReplicas()).toBe(2);
    expect((await listEvents())[0]).toBe("SuccessfulRescale: New size: 2; reason: Current number of replicas above Spec.MaxReplicas");
  });

  test("scales up by the usage that metrics.k8s.io reports", async () => {
    await deploy(1);
    await clock.advance(MINUTE);
    await scaler();
    await clock.settle();
    expect(await getReplicas()).toBe(2);
    expect(await listEvents()).toEqual([
      "SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target",
    ]);
    const { status } = await client.get(HorizontalPodAutoscaler, web);
    expect(status).toMatchObject({ currentReplicas: 1, desiredReplicas: 2, lastScaleTime: "2026-01-01T00:01:00Z" });
    expect(status.currentMetrics).toEqual([
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "100m" } } },
    ]);
    await clock.advance(5 * MINUTE);
    expect(await getReplicas()).toBe(5);
    expect(await getConditions()).toEqual({
      AbleToScale: "True ReadyForNewScale",
      ScalingActive: "True ValidMetricFound",
      ScalingLimited: "True TooManyReplicas",
    });
  });

  test("scales down once the usage was low for five minutes", async () => {
    await deploy(4, "10m");
    await clock.advance(MINUTE);
    await scaler();
    await clock.advance(4 * MINUTE);
    expect(await getReplicas()).toBe(4);
    expect((await getConditions())["AbleToScale"]).toBe("True ScaleDownStabilized");
    await clock.advance(2 * MINUTE);
    expect(await getReplicas()).toBe(1);
  });

  test("does not scale a target with zero replicas", async () => {
    await deploy(0);
    await scaler({ minReplicas: 2 });
    await clock.advance(MINUTE);
    expect(await getReplicas()).toBe(0);
    expect((await getConditions())["ScalingActive"]).toBe("False ScalingDisabled");
  });

  test("scales a ReplicationController", async () => {
    await client.create(ReplicationController, { metadata: web, spec: { replicas: 1, selector: labels, template: template() } });
    await scaler({ minReplicas: 2, scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "web" } });
    await clock.settle();
    const { spec, status } = await client.get(ReplicationController, web);
    expect([spec.replicas, status.readyReplicas]).toEqual([2, 2]);
  });

  test("reports a target of a kind that is not served", async () => {
    await scaler({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" } });
    await clock.settle();
    expect(await listEvents()).toEqual(['FailedGetScale: no matches for kind "Widget" in group "example.com"']);
  });
});

describe("a ReplicationController", () => {
  const create = (replicas: number) =>
    client.create(ReplicationController, { metadata: web, spec: { replicas, selector: labels, template: template() } });
  const listPods = async () => (await client.list(Pod, { namespace })).items;

  test("creates its pods, replaces a deleted one and reports its status", async () => {
    await create(2);
    await clock.settle();
    const [first] = await listPods();
    expect(first?.metadata.ownerReferences).toMatchObject([
      { apiVersion: "v1", kind: "ReplicationController", name: "web", controller: true },
    ]);
    await client.delete(Pod, first!.metadata, { gracePeriodSeconds: 0 });
    await clock.settle();
    expect(await listPods()).toHaveLength(2);
    const { status } = await client.get(ReplicationController, web);
    expect(status).toEqual({ replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 });
  });

  test("adopts matching pods and deletes the surplus", async () => {
    await client.create(Pod, { metadata: { name: "orphan", namespace, labels }, spec: template().spec });
    await create(1);
    await clock.settle();
    expect((await listPods()).map(({ metadata }) => metadata.name)).toEqual(["orphan"]);
    await client.patch(ReplicationController, web, { merge: { spec: { replicas: 0 } } });
    await clock.advance(MINUTE);
    expect(await listPods()).toEqual([]);
  });
});
