import { StatefulSet } from "pintle/kinds/apps/v1";
import { PersistentVolume, PersistentVolumeClaim, Service } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

const NAME = "db";
const labels = { app: NAME };
const ref = ({ namespace }: ScenarioContext) => ({ name: NAME, namespace });

async function isSettled(context: ScenarioContext, size: number, updated = size): Promise<boolean> {
  const { metadata, status } = await context.client.get(StatefulSet, ref(context));
  return (
    status.observedGeneration === metadata.generation &&
    status.replicas === size &&
    status.availableReplicas === size &&
    status.updatedReplicas === updated &&
    (await listPods(context)).length === size
  );
}
const create = (context: ScenarioContext, spec: object) =>
  context.client.create(StatefulSet, {
    metadata: ref(context),
    spec: { replicas: 3, serviceName: NAME, selector: { matchLabels: labels }, template: buildPodTemplate(NAME), ...spec },
  });
const patch = (context: ScenarioContext, spec: object) => context.client.patch(StatefulSet, ref(context), { strategic: { spec } });
const image = (to: string) => ({ template: { spec: { containers: [{ name: "main", image: to }] } } });

export const statefulSet: Scenario = {
  name: "stateful set",
  sample: true,
  steps: [
    {
      name: "apply",
      async act(context) {
        await context.client.create(Service, {
          metadata: ref(context),
          spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] },
        });
        await create(context, {});
      },
      until: (context) => isSettled(context, 3),
    },
    { name: "roll out", act: (context) => patch(context, image("web:2")), until: (context) => isSettled(context, 3) },
    { name: "scale down", act: (context) => patch(context, { replicas: 1 }), until: (context) => isSettled(context, 1) },
  ],
};

export const partition: Scenario = {
  name: "stateful set, partition and parallel",
  steps: [
    {
      name: "apply",
      act: (context) => create(context, { podManagementPolicy: "Parallel", ordinals: { start: 5 } }),
      until: (context) => isSettled(context, 3),
    },
    {
      name: "roll out above the partition",
      act: (context) => patch(context, { ...image("web:2"), updateStrategy: { rollingUpdate: { partition: 2 } } }),
      until: (context) => isSettled(context, 3, 1),
    },
    {
      name: "to the end",
      act: (context) => patch(context, { updateStrategy: { rollingUpdate: { partition: 0 } } }),
      until: (context) => isSettled(context, 3),
    },
    { name: "back", act: (context) => patch(context, image("web:1")), until: (context) => isSettled(context, 3) },
  ],
};

const claims = async ({ client, namespace }: ScenarioContext) => (await client.list(PersistentVolumeClaim, { namespace })).items;

export const withVolumes: Scenario = {
  name: "stateful set, volumes",
  // The volume binder and the scheduler write the same claims: their order and conflicts differ from run to run.
  raceDependentEvents: [
    "WaitForFirstConsumer",
    "WaitForPodScheduled",
    "FailedScheduling",
    "ProvisioningFailed",
    "FailedUpdate",
    "SuccessfulCreate",
  ],
  steps: [
    {
      name: "apply",
      act: (context) =>
        create(context, {
          replicas: 2,
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
          volumeClaimTemplates: [
            {
              metadata: { name: "data", labels: { kind: "data" } },
              spec: { storageClassName: "standard", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        }),
      until: (context) => isSettled(context, 2),
    },
    {
      name: "scale down",
      act: (context) => patch(context, { replicas: 1 }),
      until: async (context) => (await isSettled(context, 1)) && (await claims(context)).length === 1,
    },
    {
      name: "delete",
      act: (context) => context.client.delete(StatefulSet, ref(context)),
      until: async (context) => {
        const { items } = await context.client.list(PersistentVolume);
        const left = items.filter(({ spec }) => spec.claimRef?.namespace === context.namespace);
        return (await claims(context)).length === 0 && left.length === 0;
      },
    },
  ],
};
