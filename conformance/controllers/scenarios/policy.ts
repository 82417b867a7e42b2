import { TooManyRequests } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod, ResourceQuota, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

const deploy = ({ client, namespace }: ScenarioContext, name: string, replicas: number, more: object = {}) =>
  client.create(Deployment, {
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: { ...buildPodTemplate(name), ...more } },
  });
const available = async ({ client, namespace }: ScenarioContext, name: string) =>
  (await client.get(Deployment, { name, namespace })).status.availableReplicas ?? 0;
const budget = async ({ client, namespace }: ScenarioContext, name: string) =>
  (await client.get(PodDisruptionBudget, { name, namespace })).status;

export const disruption: Scenario = {
  name: "disruption budgets",
  sample: true,
  raceDependentEvents: ["SuccessfulDelete", "NoPods"],
  steps: [
    {
      name: "apply",
      async act(context) {
        const { client, namespace } = context;
        await deploy(context, "web", 3);
        const selector = { matchLabels: { app: "web" } };
        await client.create(PodDisruptionBudget, { metadata: { name: "most", namespace }, spec: { minAvailable: 2, selector } });
        await client.create(PodDisruptionBudget, {
          metadata: { name: "unmatched", namespace },
          spec: { minAvailable: 1, selector: { matchLabels: { app: "unmatched" } } },
        });
      },
      until: async (context) => (await budget(context, "most")).disruptionsAllowed === 1 && (await available(context, "web")) === 3,
    },
    {
      name: "evict one",
      async act(context) {
        const [pod] = await listPods(context);
        await context.client.evict(Pod, pod!.metadata);
      },
      until: async (context) =>
        (await budget(context, "most")).disruptionsAllowed === 1 &&
        (await available(context, "web")) === 3 &&
        (await listPods(context)).length === 3,
    },
    {
      name: "no more than that",
      async act(context) {
        await context.client.patch(
          PodDisruptionBudget,
          { name: "most", namespace: context.namespace },
          { merge: { spec: { minAvailable: null, maxUnavailable: 0 } } },
        );
        await context.client.waitFor(
          PodDisruptionBudget,
          { name: "most", namespace: context.namespace },
          ({ status }) => status.observedGeneration === 2,
          { timeout: 30_000 },
        );
        const [pod] = await listPods(context);
        const refused = await context.client.evict(Pod, pod!.metadata).catch((error) => error);
        if (!(refused instanceof TooManyRequests)) throw new Error(`an eviction was not refused: ${refused}`);
      },
      until: async (context) => (await budget(context, "most")).disruptionsAllowed === 0,
    },
    {
      name: "a share",
      act: ({ client, namespace }) =>
        client.patch(PodDisruptionBudget, { name: "most", namespace }, { merge: { spec: { maxUnavailable: "50%" } } }),
      until: async (context) => (await budget(context, "most")).disruptionsAllowed === 2,
    },
  ],
};

export const quota: Scenario = {
  name: "quota",
  sample: true,
  // The number of retries depends on the backoff.
  raceDependentEvents: ["FailedCreate"],
  steps: [
    {
      name: "used up",
      async act(context) {
        const { client, namespace } = context;
        const hard = { pods: "2", services: "1", "count/configmaps": "3", "requests.storage": "5Gi" };
        await client.create(ResourceQuota, { metadata: { name: "few", namespace }, spec: { hard } });
        await client.waitFor(ResourceQuota, { name: "few", namespace }, ({ status }) => status.used?.["count/configmaps"] === "1", {
          timeout: 30_000,
        });
        await deploy(context, "web", 3);
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
      until: async (context) => (await available(context, "web")) === 2,
    },
    {
      name: "room again",
      async act(context) {
        await context.client.delete(Service, { name: "one", namespace: context.namespace });
        await context.client.scale.patch(Deployment, { name: "web", namespace: context.namespace }, { merge: { spec: { replicas: 1 } } });
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
        await client.waitFor(ResourceQuota, { name: "compute", namespace }, ({ status }) => status.used?.["requests.cpu"] !== undefined, {
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

export const namespace: Scenario = {
  name: "a namespace goes",
  sample: true,
  steps: [
    {
      name: "held back",
      async act(context) {
        const { client, namespace: name } = context;
        await deploy(context, "web", 2);
        await client.create(ConfigMap, { metadata: { name: "kept", namespace: name, finalizers: ["example.com/hold"] } });
        await client.waitFor(Deployment, { name: "web", namespace: name }, ({ status }) => status.availableReplicas === 2, {
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
