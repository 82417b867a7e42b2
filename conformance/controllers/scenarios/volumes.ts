import { Event, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { listPods } from "./builders.ts";

const claim = ({ client, namespace }: ScenarioContext, name: string, spec: object = {}) =>
  client.create(PersistentVolumeClaim, {
    metadata: { name, namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
const volume = ({ client }: ScenarioContext, name: string, storage: string, more: object = {}) =>
  client.create(PersistentVolume, {
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], storageClassName: "manual", hostPath: { path: "/data" }, ...more },
  });
const phase = async ({ client, namespace }: ScenarioContext, name: string) =>
  (await client.find(PersistentVolumeClaim, { name, namespace }))?.status.phase;
/** True once the controller has recorded that the claim waits for a pod. */
const isPending = async ({ client, namespace }: ScenarioContext) =>
  (await client.list(Event, { namespace })).items.some(({ reason }) => reason === "WaitForFirstConsumer");
const user = ({ client, namespace }: ScenarioContext, name: string, claimName: string) =>
  client.create(Pod, {
    metadata: { name, namespace },
    spec: { containers: [{ name: "main", image: "web:1" }], volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
  });

export const volumes: Scenario = {
  name: "volumes",
  sample: true,
  // Recorded only if the controller reconciles between the pod's creation and its scheduling.
  raceDependentEvents: ["WaitForPodScheduled"],
  steps: [
    {
      name: "claims of every sort",
      async act(context) {
        await volume(context, "large", "10Gi");
        await volume(context, "small", "2Gi");
        await volume(context, "meant", "5Gi", { claimRef: { namespace: context.namespace, name: "chosen" } });
        await claim(context, "manual", { storageClassName: "manual" });
        await claim(context, "chosen", { storageClassName: "manual", volumeName: "meant" });
        await claim(context, "none", { storageClassName: "" });
        await claim(context, "unknown", { storageClassName: "missing" });
        await claim(context, "usual", { storageClassName: "standard" });
      },
      until: async (context) =>
        (await phase(context, "manual")) === "Bound" && (await phase(context, "chosen")) === "Bound" && (await isPending(context)),
    },
    {
      name: "the first consumer",
      act: (context) => user(context, "consumer", "usual"),
      until: async (context) =>
        (await phase(context, "usual")) === "Bound" && (await listPods(context)).every(({ status }) => status.phase === "Running"),
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
      until: async (context) => (await phase(context, "usual")) === undefined && (await phase(context, "manual")) === undefined,
    },
  ],
};
