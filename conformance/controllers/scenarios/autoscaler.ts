import { AlreadyExists } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { type Pod, ReplicationController } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

/** kube-controller-manager syncs an autoscaler every 15 seconds, and ignores the usage of a pod until it was ready for a while. */
const TIMEOUT = 60_000;
const METRICS_API = "/apis/metrics.k8s.io/v1beta1";

/** A pod that requests 100m; on simulated nodes its usage is the annotation's. */
const template = (app: string, usage: string) => {
  const { metadata, spec } = buildPodTemplate(app, "web:1", { "node.pintle.dev/cpu-usage": usage });
  return {
    metadata,
    spec: { ...spec!, containers: spec!.containers.map((each) => ({ ...each, resources: { requests: { cpu: "100m" } } })) },
  };
};
const deploy = ({ client, namespace }: ScenarioContext, name: string, replicas: number, usage: string) =>
  client.create(Deployment, {
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, usage) },
  });
const cpu = (averageUtilization: number) =>
  ({ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }) as const;
const createScaler = ({ client, namespace }: ScenarioContext, name: string, spec: object) =>
  client.create(HorizontalPodAutoscaler, {
    metadata: { name, namespace },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, metrics: [cpu(50)], ...spec },
  });
const getScaler = ({ client, namespace }: ScenarioContext, name: string) => client.get(HorizontalPodAutoscaler, { name, namespace });
const hasCondition = async (context: ScenarioContext, name: string, type: string, reason: string) =>
  (await getScaler(context, name)).status.conditions?.some((each) => each.type === type && each.reason === reason) === true;

/**
 * Serves metrics.k8s.io on a server without it: a custom resource with the usage of every pod. The embedded cluster serves it itself.
 */
async function reportUsage(context: ScenarioContext): Promise<void> {
  const { client, namespace } = context;
  const group = await client.request({ method: "GET", path: METRICS_API }).catch(() => undefined);
  const served = (await group?.json()) as { resources?: readonly { name: string; verbs: readonly string[] }[] } | undefined;
  if (served === undefined) await defineMetrics(context);
  else if (!served.resources?.some(({ name, verbs }) => name === "pods" && verbs.includes("create"))) return;
  for (const pod of await listPods(context)) {
    const body = buildPodMetrics(pod);
    const path = `${METRICS_API}/namespaces/${namespace}/pods`;
    await client.request({ method: "POST", path, body }).catch((error: unknown) => {
      if (!(error instanceof AlreadyExists)) throw error;
    });
  }
}

function buildPodMetrics({ metadata, spec }: Pod) {
  const usage = { cpu: metadata.annotations?.["node.pintle.dev/cpu-usage"] ?? "0", memory: "16Mi" };
  return {
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "PodMetrics",
    metadata: { name: metadata.name, namespace: metadata.namespace, labels: metadata.labels },
    // The measurement began after every pod became ready.
    timestamp: new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, ""),
    window: "10s",
    containers: spec.containers.map(({ name }) => ({ name, usage })),
  };
}

async function defineMetrics({ client }: ScenarioContext): Promise<void> {
  await client
    .create(CustomResourceDefinition, {
      metadata: { name: "pods.metrics.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, for a test" } },
      spec: {
        group: "metrics.k8s.io",
        scope: "Namespaced",
        names: { plural: "pods", kind: "PodMetrics" },
        versions: [
          {
            name: "v1beta1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    })
    .catch((error: unknown) => {
      if (!(error instanceof AlreadyExists)) throw error;
    });
  await client.waitFor(
    CustomResourceDefinition,
    { name: "pods.metrics.k8s.io" },
    ({ status }) => status.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
    { timeout: TIMEOUT },
  );
}

/** Waits for pods to be available, and reports their usage. */
async function waitForPods(context: ScenarioContext, name: string, replicas: number): Promise<void> {
  const { client, namespace } = context;
  await client.waitFor(Deployment, { name, namespace }, ({ status }) => (status.availableReplicas ?? 0) >= replicas, { timeout: TIMEOUT });
  await reportUsage(context);
}

export const autoscaler: Scenario = {
  name: "autoscaler",
  exclusive: true,
  // Until a pod was measured long enough, its usage is not used.
  raceDependentEvents: ["FailedGetResourceMetric", "FailedComputeMetricsReplicas", "AmbiguousSelector"],
  steps: [
    {
      name: "limits before metrics",
      async act(context) {
        const { client, namespace } = context;
        await deploy(context, "low", 1, "10m");
        await deploy(context, "high", 4, "10m");
        await deploy(context, "off", 0, "10m");
        await client.create(ReplicationController, {
          metadata: { name: "rc", namespace },
          spec: { replicas: 1, selector: { app: "rc" }, template: template("rc", "10m") },
        });
        for (const [name, replicas] of [
          ["low", 1],
          ["high", 4],
        ] as const)
          await waitForPods(context, name, replicas);
        const external = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "1" } } };
        await createScaler(context, "low", { minReplicas: 2, metrics: [external] });
        await createScaler(context, "high", { metrics: [external] });
        await createScaler(context, "off", {});
        await createScaler(context, "rc", {
          minReplicas: 2,
          scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "rc" },
          metrics: [external],
        });
      },
      until: async (context) =>
        (await hasCondition(context, "low", "ScalingActive", "FailedGetExternalMetric")) &&
        (await hasCondition(context, "high", "ScalingActive", "FailedGetExternalMetric")) &&
        (await hasCondition(context, "rc", "ScalingActive", "FailedGetExternalMetric")) &&
        (await hasCondition(context, "off", "ScalingActive", "ScalingDisabled")) &&
        (await listPods(context)).length === 7,
    },
    {
      name: "scale up",
      async act(context) {
        await deploy(context, "busy", 1, "90m");
        await waitForPods(context, "busy", 1);
        await createScaler(context, "busy", { maxReplicas: 2 });
        await waitForPods(context, "busy", 2);
      },
      until: async (context) =>
        (await hasCondition(context, "busy", "AbleToScale", "ReadyForNewScale")) &&
        (await getScaler(context, "busy")).status.currentReplicas === 2,
    },
    {
      name: "scale down is stabilized",
      async act(context) {
        await deploy(context, "idle", 3, "10m");
        await waitForPods(context, "idle", 3);
        await createScaler(context, "idle", { maxReplicas: 5 });
      },
      until: (context) => hasCondition(context, "idle", "AbleToScale", "ScaleDownStabilized"),
    },
    {
      name: "metrics of other APIs, and targets that are missing",
      async act(context) {
        const { client, namespace } = context;
        const metric = (name: string, selector?: object) => ({ name, ...(selector === undefined ? {} : { selector }) });
        await deploy(context, "mixed", 1, "90m");
        await waitForPods(context, "mixed", 1);
        await createScaler(context, "mixed", {
          metrics: [
            { type: "Pods", pods: { metric: metric("rate"), target: { type: "AverageValue", averageValue: "1" } } },
            {
              type: "Object",
              object: { metric: metric("hits"), describedObject: { kind: "Service", name: "s" }, target: { type: "Value", value: "1" } },
            },
            {
              type: "Object",
              object: {
                metric: metric("hits"),
                describedObject: { kind: "Service", name: "s" },
                target: { type: "AverageValue", averageValue: "1" },
              },
            },
            {
              type: "External",
              external: { metric: metric("queue", { matchLabels: { b: "2", a: "1" } }), target: { type: "Value", value: "1" } },
            },
            { type: "External", external: { metric: metric("queue"), target: { type: "AverageValue", averageValue: "1" } } },
          ],
        });
        const target = (apiVersion: string, kind: string, name: string) => ({ scaleTargetRef: { apiVersion, kind, name } });
        await createScaler(context, "lost", target("apps/v1", "Deployment", "missing"));
        await createScaler(context, "unknown", target("example.com/v1", "Widget", "missing"));
        await createScaler(context, "twice", target("apps/v1", "Deployment", "mixed"));
        await client.waitFor(
          HorizontalPodAutoscaler,
          { name: "twice", namespace },
          ({ status }) => status.conditions?.some(({ type }) => type === "ScalingActive") === true,
          { timeout: TIMEOUT },
        );
      },
      until: async (context) =>
        (await hasCondition(context, "lost", "AbleToScale", "FailedGetScale")) &&
        (await hasCondition(context, "unknown", "AbleToScale", "FailedGetScale")) &&
        (await hasCondition(context, "twice", "ScalingActive", "AmbiguousSelector")) &&
        (await hasCondition(context, "mixed", "ScalingActive", "AmbiguousSelector")),
      // In the order of a Go map.
      raceDependent: /(?<=multiple HPAs: )\[.*?\]/g,
    },
  ],
};
