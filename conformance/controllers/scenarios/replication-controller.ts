import { Pod, ReplicationController } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

const NAME = "web";
const labels = { app: NAME };
const ref = ({ namespace }: ScenarioContext) => ({ name: NAME, namespace });
const patch = (context: ScenarioContext, spec: object) => context.client.patch(ReplicationController, ref(context), { merge: { spec } });

async function isSettled(context: ScenarioContext, size: number, pods = size): Promise<boolean> {
  const { metadata, status } = await context.client.get(ReplicationController, ref(context));
  return (
    status.observedGeneration === metadata.generation &&
    status.replicas === size &&
    (status.availableReplicas ?? 0) === size &&
    (await listPods(context)).length === pods
  );
}

export const replicationController: Scenario = {
  name: "replication controller",
  sample: true,
  steps: [
    {
      name: "apply",
      async act(context) {
        const { client, namespace } = context;
        await client.create(Pod, { metadata: { name: "orphan", namespace, labels }, spec: buildPodTemplate(NAME).spec! });
        await client.create(ReplicationController, {
          metadata: ref(context),
          spec: { replicas: 2, selector: labels, template: buildPodTemplate(NAME) },
        });
      },
      until: (context) => isSettled(context, 2),
    },
    { name: "scale up", act: (context) => patch(context, { replicas: 4 }), until: (context) => isSettled(context, 4) },
    {
      name: "release a pod",
      act: ({ client, namespace }) =>
        client.patch(Pod, { name: "orphan", namespace }, { merge: { metadata: { labels: { app: "other" } } } }),
      until: (context) => isSettled(context, 4, 5),
    },
    { name: "scale down", act: (context) => patch(context, { replicas: 1 }), until: (context) => isSettled(context, 1, 2) },
    {
      name: "a template that is refused",
      act: (context) => patch(context, { replicas: 2, template: { spec: { serviceAccountName: "missing" } } }),
      until: async (context) =>
        (await context.client.get(ReplicationController, ref(context))).status.conditions?.some(({ type }) => type === "ReplicaFailure") ===
        true,
    },
    {
      name: "delete",
      act: (context) => context.client.delete(ReplicationController, ref(context), { propagation: "Background" }),
      until: async (context) => (await listPods(context)).length === 1,
    },
  ],
};
