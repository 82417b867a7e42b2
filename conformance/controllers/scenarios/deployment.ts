import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

const NAME = "web";
const labels = { app: NAME };

async function isSettled({ client, namespace }: ScenarioContext, size: number): Promise<boolean> {
  const { metadata, spec, status } = await client.get(Deployment, { name: NAME, namespace });
  return (
    status.observedGeneration === metadata.generation &&
    spec.replicas === size &&
    status.replicas === size &&
    status.updatedReplicas === size &&
    status.availableReplicas === size &&
    status.terminatingReplicas === 0
  );
}
const image = ({ client, namespace }: ScenarioContext, to: string, annotations: Record<string, string | null> = {}) =>
  client.patch(
    Deployment,
    { name: NAME, namespace },
    { strategic: { spec: { template: { metadata: { annotations }, spec: { containers: [{ name: "main", image: to }] } } } } },
  );

export const deployment: Scenario = {
  name: "deployment",
  sample: true,
  steps: [
    {
      name: "apply",
      act: ({ client, namespace }) =>
        client.create(Deployment, {
          metadata: { name: NAME, namespace },
          spec: { replicas: 3, selector: { matchLabels: labels }, template: buildPodTemplate(NAME) },
        }),
      until: (context) => isSettled(context, 3),
    },
    { name: "roll out", act: (context) => image(context, "web:2"), until: (context) => isSettled(context, 3) },
    {
      name: "break",
      act: (context) => image(context, "web:3", { "node.pintle.dev/behaviour": "image-pull-error" }),
      until: async (context) =>
        (await listPods(context)).some(({ spec, status }) => spec.containers[0]?.image === "web:3" && status.startTime !== undefined),
      // Whether the controller observes progress depends on whether it reconciles before the pod exists.
      raceDependent: /"(NewReplicaSetCreated|ReplicaSetUpdated|Created new replica set .*|ReplicaSet .* is progressing\.)"/g,
    },
    {
      name: "roll back",
      act: (context) => image(context, "web:2", { "node.pintle.dev/behaviour": null }),
      until: (context) => isSettled(context, 3),
    },
    {
      name: "scale up",
      act: ({ client, namespace }) => client.scale.patch(Deployment, { name: NAME, namespace }, { merge: { spec: { replicas: 5 } } }),
      until: (context) => isSettled(context, 5),
    },
    {
      name: "scale down",
      act: ({ client, namespace }) => client.scale.patch(Deployment, { name: NAME, namespace }, { merge: { spec: { replicas: 1 } } }),
      until: (context) => isSettled(context, 1),
    },
    {
      name: "delete",
      act: ({ client, namespace }) => client.delete(Deployment, { name: NAME, namespace }),
      until: async (context) => (await listPods(context)).length === 0,
    },
  ],
};

export const recreate: Scenario = {
  name: "deployment, recreate",
  steps: [
    {
      name: "apply",
      act: ({ client, namespace }) =>
        client.create(Deployment, {
          metadata: { name: NAME, namespace },
          spec: { replicas: 2, strategy: { type: "Recreate" }, selector: { matchLabels: labels }, template: buildPodTemplate(NAME) },
        }),
      until: (context) => isSettled(context, 2),
    },
    { name: "roll out", act: (context) => image(context, "web:2"), until: (context) => isSettled(context, 2) },
  ],
};

export const adoption: Scenario = {
  name: "replica set, adoption and release",
  sample: true,
  raceDependentEvents: ["SuccessfulDelete"],
  steps: [
    {
      name: "adopt a pod",
      async act({ client, namespace }) {
        await client.create(Pod, { metadata: { name: "early", namespace, labels }, spec: buildPodTemplate(NAME).spec! });
        await client.create(ReplicaSet, {
          metadata: { name: "set", namespace },
          spec: { replicas: 2, selector: { matchLabels: labels }, template: buildPodTemplate(NAME) },
        });
      },
      until: async ({ client, namespace }) => (await client.get(ReplicaSet, { name: "set", namespace })).status.availableReplicas === 2,
    },
    {
      name: "release it",
      act: ({ client, namespace }) =>
        client.patch(Pod, { name: "early", namespace }, { merge: { metadata: { labels: { app: "other" } } } }),
      until: async (context) =>
        (await listPods(context)).length === 3 && (await listPods(context)).every(({ status }) => status.phase === "Running"),
    },
    {
      name: "orphan the pods",
      act: ({ client, namespace }) => client.delete(ReplicaSet, { name: "set", namespace }, { propagation: "Orphan" }),
      until: async ({ client, namespace }) => (await client.find(ReplicaSet, { name: "set", namespace })) === undefined,
    },
  ],
};
