import { Event, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf } from "./make.ts";

const claim = ({ client, namespace }: World, name: string, spec: object = {}) =>
  client.create(PersistentVolumeClaim, {
    metadata: { name, namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
const volume = ({ client }: World, name: string, storage: string, more: object = {}) =>
  client.create(PersistentVolume, {
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], storageClassName: "manual", hostPath: { path: "/data" }, ...more },
  });
const phase = async ({ client, namespace }: World, name: string) =>
  (await client.find(PersistentVolumeClaim, { name, namespace }))?.status.phase;
/** Somebody has seen that the claim waits for a pod. */
const waits = async ({ client, namespace }: World) =>
  (await client.list(Event, { namespace })).items.some(({ reason }) => reason === "WaitForFirstConsumer");
const user = ({ client, namespace }: World, name: string, claimName: string) =>
  client.create(Pod, {
    metadata: { name, namespace },
    spec: { containers: [{ name: "main", image: "web:1" }], volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
  });

export const volumes: Scenario = {
  name: "volumes",
  sample: true,
  // Said only by one who looks between the pod's creation and its scheduling.
  racyEvents: ["WaitForPodScheduled"],
  steps: [
    {
      name: "claims of every sort",
      async act(world) {
        await volume(world, "large", "10Gi");
        await volume(world, "small", "2Gi");
        await volume(world, "meant", "5Gi", { claimRef: { namespace: world.namespace, name: "chosen" } });
        await claim(world, "manual", { storageClassName: "manual" });
        await claim(world, "chosen", { storageClassName: "manual", volumeName: "meant" });
        await claim(world, "none", { storageClassName: "" });
        await claim(world, "unknown", { storageClassName: "nobody" });
        await claim(world, "usual", { storageClassName: "standard" });
      },
      until: async (world) =>
        (await phase(world, "manual")) === "Bound" && (await phase(world, "chosen")) === "Bound" && (await waits(world)),
    },
    {
      name: "the first consumer",
      act: (world) => user(world, "consumer", "usual"),
      until: async (world) =>
        (await phase(world, "usual")) === "Bound" && (await podsOf(world)).every(({ status }) => status.phase === "Running"),
    },
    {
      name: "in use",
      act: ({ client, namespace }) => client.delete(PersistentVolumeClaim, { name: "usual", namespace }),
      until: async ({ client, namespace }) =>
        (await client.get(PersistentVolumeClaim, { name: "usual", namespace })).metadata.deletionTimestamp !== undefined,
    },
    {
      name: "out of use",
      async act({ client, namespace }) {
        await client.delete(Pod, { name: "consumer", namespace });
        await client.delete(PersistentVolumeClaim, { name: "manual", namespace });
      },
      until: async (world) => (await phase(world, "usual")) === undefined && (await phase(world, "manual")) === undefined,
    },
  ],
};
