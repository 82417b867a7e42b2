import { Node, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf } from "./make.ts";

const pod = ({ client, namespace }: World, name: string, spec: object, container: object = {}) =>
  client.create(Pod, {
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ name: "main", image: "web:1", ...container }], ...spec },
  });
const anti = (app: string) => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname" }],
  },
});
const decided = async (world: World) =>
  (await podsOf(world)).every(
    ({ status }) => status.phase === "Running" || status.conditions?.some(({ reason }) => reason === "Unschedulable"),
  );

export const scheduling: Scenario = {
  name: "scheduling",
  sample: true,
  steps: [
    {
      name: "what fits nowhere",
      async act(world) {
        await pod(world, "selector", { nodeSelector: { disk: "ssd" } });
        await pod(world, "cpu", {}, { resources: { requests: { cpu: "1k" } } });
        await pod(world, "both", {}, { resources: { requests: { cpu: "1k", memory: "1Pi" } } });
        await pod(world, "gpu", {}, { resources: { limits: { "example.com/gpu": "1" } } });
        await pod(world, "no-claim", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "missing" } }] });
        await world.client.create(PersistentVolumeClaim, {
          metadata: { name: "unbound", namespace: world.namespace },
          spec: { storageClassName: "", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        });
        await pod(world, "unbound-claim", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "unbound" } }] });
        const term = { labelSelector: { matchLabels: { app: "nobody" } }, topologyKey: "kubernetes.io/hostname" };
        await pod(world, "lonely", { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
        await pod(world, "elsewhere", { schedulerName: "somebody-else" });
        await pod(world, "gated", { schedulingGates: [{ name: "example.com/wait" }] });
      },
      until: async (world) =>
        (await podsOf(world)).filter(({ status }) => status.conditions?.some(({ reason }) => reason === "Unschedulable")).length === 7,
    },
    {
      name: "what is in each other's way",
      async act(world) {
        const first = { nodeSelector: { "kubernetes.io/hostname": "node-1" } };
        await pod(world, "port-a", first, { ports: [{ containerPort: 80, hostPort: 18080 }] });
        await pod(world, "port-b", {}, { ports: [{ containerPort: 80, hostPort: 18080 }] });
        await pod(world, "apart", { affinity: anti("port-a"), nodeSelector: { "kubernetes.io/hostname": "node-1" } });
      },
      until: async (world) =>
        decided({ ...world }).then(async () => (await podsOf(world)).filter(({ status }) => status.phase === "Running").length >= 2),
    },
    {
      name: "the gate opens",
      act: ({ client, namespace }) => client.patch(Pod, { name: "gated", namespace }, { merge: { spec: { schedulingGates: null } } }),
      until: async ({ client, namespace }) => (await client.get(Pod, { name: "gated", namespace })).status.phase === "Running",
    },
  ],
};

/** Whoever changes nodes plays alone. */
export const nodes: Scenario = {
  name: "nodes that take nobody",
  alone: true,
  steps: [
    {
      name: "cordoned and tainted",
      async act(world) {
        await world.client.patch(Node, { name: "node-1" }, { merge: { spec: { unschedulable: true } } });
        await world.client.patch(
          Node,
          { name: "node-2" },
          { merge: { spec: { taints: [{ key: "example.com/mine", value: "yes", effect: "NoSchedule" }] } } },
        );
        await world.client.wait(Node, { name: "node-1" }, ({ spec }) => (spec.taints ?? []).length === 1, { timeout: 30_000 });
        await pod(world, "homeless", {});
        await pod(world, "tolerant", { tolerations: [{ key: "example.com/mine", operator: "Exists" }] });
        await pod(world, "picky", { nodeSelector: { "kubernetes.io/hostname": "node-1" } });
      },
      until: decided,
    },
    {
      name: "open again",
      async act(world) {
        // One after the other, so that who has a choice has none: it is the scheduler's to make, and would not be the same one.
        for (const [node, pod] of [
          ["node-2", "homeless"],
          ["node-1", "picky"],
        ] as const) {
          await world.client.patch(Node, { name: node }, { merge: { spec: { unschedulable: null, taints: null } } });
          const at = { name: pod, namespace: world.namespace };
          await world.client.wait(Pod, at, ({ status }) => status.phase === "Running", { timeout: 60_000 });
        }
      },
      until: async (world) => (await podsOf(world)).every(({ status }) => status.phase === "Running"),
    },
    {
      name: "a taint that sends pods away",
      async act(world) {
        await world.client.patch(
          Node,
          { name: "node-1" },
          { merge: { spec: { taints: [{ key: "example.com/out", effect: "NoExecute" }] } } },
        );
      },
      until: async (world) => (await world.client.find(Pod, { name: "picky", namespace: world.namespace })) === undefined,
    },
    {
      name: "clean up",
      async act(world) {
        await world.client.patch(Node, { name: "node-1" }, { merge: { spec: { taints: null } } });
        for (const { metadata } of await podsOf(world)) await world.client.delete(Pod, metadata);
      },
      until: async (world) => (await podsOf(world)).length === 0,
    },
  ],
};
