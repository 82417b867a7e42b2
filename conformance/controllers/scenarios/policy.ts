import { TooManyRequests } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { ConfigMap, Namespace, Pod, ResourceQuota, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf, template } from "./make.ts";

const deploy = ({ client, namespace }: World, name: string, replicas: number, more: object = {}) =>
  client.create(Deployment, {
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: { ...template(name), ...more } },
  });
const available = async ({ client, namespace }: World, name: string) =>
  (await client.get(Deployment, { name, namespace })).status.availableReplicas ?? 0;
const budget = async ({ client, namespace }: World, name: string) => (await client.get(PodDisruptionBudget, { name, namespace })).status;

export const disruption: Scenario = {
  name: "disruption budgets",
  sample: true,
  racyEvents: ["SuccessfulDelete", "NoPods"],
  steps: [
    {
      name: "apply",
      async act(world) {
        const { client, namespace } = world;
        await deploy(world, "web", 3);
        const selector = { matchLabels: { app: "web" } };
        await client.create(PodDisruptionBudget, { metadata: { name: "most", namespace }, spec: { minAvailable: 2, selector } });
        await client.create(PodDisruptionBudget, {
          metadata: { name: "nobody", namespace },
          spec: { minAvailable: 1, selector: { matchLabels: { app: "nobody" } } },
        });
      },
      until: async (world) => (await budget(world, "most")).disruptionsAllowed === 1 && (await available(world, "web")) === 3,
    },
    {
      name: "evict one",
      async act(world) {
        const [pod] = await podsOf(world);
        await world.client.evict(Pod, pod!.metadata);
      },
      until: async (world) =>
        (await budget(world, "most")).disruptionsAllowed === 1 &&
        (await available(world, "web")) === 3 &&
        (await podsOf(world)).length === 3,
    },
    {
      name: "no more than that",
      async act(world) {
        await world.client.patch(
          PodDisruptionBudget,
          { name: "most", namespace: world.namespace },
          { merge: { spec: { minAvailable: null, maxUnavailable: 0 } } },
        );
        await world.client.wait(
          PodDisruptionBudget,
          { name: "most", namespace: world.namespace },
          ({ status }) => status.observedGeneration === 2,
          { timeout: 30_000 },
        );
        const [pod] = await podsOf(world);
        const refused = await world.client.evict(Pod, pod!.metadata).catch((error) => error);
        if (!(refused instanceof TooManyRequests)) throw new Error(`an eviction was not refused: ${refused}`);
      },
      until: async (world) => (await budget(world, "most")).disruptionsAllowed === 0,
    },
    {
      name: "a share",
      act: ({ client, namespace }) =>
        client.patch(PodDisruptionBudget, { name: "most", namespace }, { merge: { spec: { maxUnavailable: "50%" } } }),
      until: async (world) => (await budget(world, "most")).disruptionsAllowed === 2,
    },
  ],
};

export const quota: Scenario = {
  name: "quota",
  sample: true,
  // How often it is tried depends on the backoff.
  racyEvents: ["FailedCreate"],
  steps: [
    {
      name: "used up",
      async act(world) {
        const { client, namespace } = world;
        const hard = { pods: "2", services: "1", "count/configmaps": "3", "requests.storage": "5Gi" };
        await client.create(ResourceQuota, { metadata: { name: "few", namespace }, spec: { hard } });
        await client.wait(ResourceQuota, { name: "few", namespace }, ({ status }) => status.used?.["count/configmaps"] === "1", {
          timeout: 30_000,
        });
        await deploy(world, "web", 3);
        await client.create(Service, { metadata: { name: "one", namespace }, spec: { ports: [{ port: 80 }] } });
        const refused = await client
          .create(Service, { metadata: { name: "two", namespace }, spec: { ports: [{ port: 80 }] } })
          .catch((error: Error) => error.message);
        await client.create(ConfigMap, {
          metadata: { name: "refusal", namespace },
          data: {
            message: String(refused)
              .replace(/ \(POST.*/, "")
              .replace(/.*?services/, "services"),
          },
        });
      },
      until: async (world) => (await available(world, "web")) === 2,
    },
    {
      name: "room again",
      async act(world) {
        await world.client.delete(Service, { name: "one", namespace: world.namespace });
        await world.client.scale.patch(Deployment, { name: "web", namespace: world.namespace }, { merge: { spec: { replicas: 1 } } });
      },
      until: async ({ client, namespace }) => {
        const { used } = (await client.get(ResourceQuota, { name: "few", namespace })).status;
        return used?.["pods"] === "1" && used["services"] === "0";
      },
    },
    {
      name: "compute",
      async act({ client, namespace }) {
        await client.create(ResourceQuota, {
          metadata: { name: "compute", namespace },
          spec: { hard: { "requests.cpu": "1", "limits.memory": "1Gi" } },
        });
        const resources = { requests: { cpu: "250m" }, limits: { memory: "128Mi" } };
        await client.wait(ResourceQuota, { name: "compute", namespace }, ({ status }) => status.used?.["requests.cpu"] !== undefined, {
          timeout: 30_000,
        });
        const silent = await client
          .create(Pod, { metadata: { name: "silent", namespace }, spec: { containers: [{ name: "main", image: "web:1" }] } })
          .catch((error: Error) => error.message);
        await client.create(Pod, {
          metadata: { name: "modest", namespace },
          spec: { containers: [{ name: "main", image: "web:1", resources }] },
        });
        await client.create(ConfigMap, {
          metadata: { name: "silence", namespace },
          data: {
            message: String(silent)
              .replace(/ \(POST.*/, "")
              .replace(/.*?pods/, "pods"),
          },
        });
      },
      until: async ({ client, namespace }) =>
        (await client.get(ResourceQuota, { name: "compute", namespace })).status.used?.["requests.cpu"] === "250m",
    },
  ],
};

export const autoscaler: Scenario = {
  name: "autoscaler without metrics",
  steps: [
    {
      name: "apply",
      async act(world) {
        const { client, namespace } = world;
        const resources = { requests: { cpu: "100m" } };
        await deploy(world, "web", 1, { spec: { containers: [{ name: "main", image: "web:1", resources }] } });
        const scaler = (name: string, target: string) =>
          client.create(HorizontalPodAutoscaler, {
            metadata: { name, namespace },
            spec: {
              maxReplicas: 3,
              scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target },
              metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
            },
          });
        await client.wait(Deployment, { name: "web", namespace }, ({ status }) => status.availableReplicas === 1, { timeout: 30_000 });
        await scaler("web", "web");
        await scaler("lost", "nobody");
      },
      until: async ({ client, namespace }) => {
        const { items } = await client.list(HorizontalPodAutoscaler, { namespace });
        return (
          items.every(({ status }) => (status.conditions?.length ?? 0) > 0) &&
          items.some(({ status }) => status.conditions?.some(({ type }) => type === "ScalingActive"))
        );
      },
    },
  ],
};

export const namespace: Scenario = {
  name: "a namespace goes",
  sample: true,
  steps: [
    {
      name: "held back",
      async act(world) {
        const { client, namespace: name } = world;
        await deploy(world, "web", 2);
        await client.create(ConfigMap, { metadata: { name: "kept", namespace: name, finalizers: ["example.com/hold"] } });
        await client.wait(Deployment, { name: "web", namespace: name }, ({ status }) => status.availableReplicas === 2, {
          timeout: 30_000,
        });
        await client.delete(Namespace, { name });
      },
      until: async ({ client, namespace: name }) =>
        (await client.get(Namespace, { name })).status.conditions?.some(
          ({ type, status }) => type === "NamespaceFinalizersRemaining" && status === "True",
        ) === true && (await client.list(Pod, { namespace: name })).items.length === 0,
    },
    {
      name: "let go",
      act: ({ client, namespace: name }) =>
        client.patch(ConfigMap, { name: "kept", namespace: name }, { merge: { metadata: { finalizers: null } } }),
      until: async ({ client, namespace: name }) => (await client.find(Namespace, { name })) === undefined,
    },
  ],
};
