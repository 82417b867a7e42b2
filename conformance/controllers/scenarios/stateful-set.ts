import { StatefulSet } from "pintle/kinds/apps/v1";
import { PersistentVolume, PersistentVolumeClaim, Service } from "pintle/kinds/core/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf, template } from "./make.ts";

const NAME = "db";
const labels = { app: NAME };
const ref = ({ namespace }: World) => ({ name: NAME, namespace });

async function settled(world: World, size: number, updated = size): Promise<boolean> {
  const { metadata, status } = await world.client.get(StatefulSet, ref(world));
  return (
    status.observedGeneration === metadata.generation &&
    status.replicas === size &&
    status.availableReplicas === size &&
    status.updatedReplicas === updated &&
    (await podsOf(world)).length === size
  );
}
const create = (world: World, spec: object) =>
  world.client.create(StatefulSet, {
    metadata: ref(world),
    spec: { replicas: 3, serviceName: NAME, selector: { matchLabels: labels }, template: template(NAME), ...spec },
  });
const patch = (world: World, spec: object) => world.client.patch(StatefulSet, ref(world), { strategic: { spec } });
const image = (to: string) => ({ template: { spec: { containers: [{ name: "main", image: to }] } } });

export const statefulSet: Scenario = {
  name: "stateful set",
  sample: true,
  steps: [
    {
      name: "apply",
      async act(world) {
        await world.client.create(Service, { metadata: ref(world), spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] } });
        await create(world, {});
      },
      until: (world) => settled(world, 3),
    },
    { name: "roll out", act: (world) => patch(world, image("web:2")), until: (world) => settled(world, 3) },
    { name: "scale down", act: (world) => patch(world, { replicas: 1 }), until: (world) => settled(world, 1) },
  ],
};

export const partition: Scenario = {
  name: "stateful set, partition and parallel",
  steps: [
    {
      name: "apply",
      act: (world) => create(world, { podManagementPolicy: "Parallel", ordinals: { start: 5 } }),
      until: (world) => settled(world, 3),
    },
    {
      name: "roll out above the partition",
      act: (world) => patch(world, { ...image("web:2"), updateStrategy: { rollingUpdate: { partition: 2 } } }),
      until: (world) => settled(world, 3, 1),
    },
    {
      name: "to the end",
      act: (world) => patch(world, { updateStrategy: { rollingUpdate: { partition: 0 } } }),
      until: (world) => settled(world, 3),
    },
    { name: "back", act: (world) => patch(world, image("web:1")), until: (world) => settled(world, 3) },
  ],
};

const claims = async ({ client, namespace }: World) => (await client.list(PersistentVolumeClaim, { namespace })).items;

export const withVolumes: Scenario = {
  name: "stateful set, volumes",
  // Binder and scheduler write to the same claims: who comes first, and who has to try again, differs from run to run.
  racyEvents: ["WaitForFirstConsumer", "WaitForPodScheduled", "FailedScheduling", "ProvisioningFailed", "FailedUpdate", "SuccessfulCreate"],
  steps: [
    {
      name: "apply",
      act: (world) =>
        create(world, {
          replicas: 2,
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
          volumeClaimTemplates: [
            {
              metadata: { name: "data", labels: { kind: "data" } },
              spec: { storageClassName: "standard", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        }),
      until: (world) => settled(world, 2),
    },
    {
      name: "scale down",
      act: (world) => patch(world, { replicas: 1 }),
      until: async (world) => (await settled(world, 1)) && (await claims(world)).length === 1,
    },
    {
      name: "delete",
      act: (world) => world.client.delete(StatefulSet, ref(world)),
      until: async (world) => {
        const { items } = await world.client.list(PersistentVolume);
        const left = items.filter(({ spec }) => spec.claimRef?.namespace === world.namespace);
        return (await claims(world)).length === 0 && left.length === 0;
      },
    },
  ],
};
