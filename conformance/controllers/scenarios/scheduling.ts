import { Node, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { listPods } from "./builders.ts";

const pod = ({ client, namespace }: ScenarioContext, name: string, spec: object, container: object = {}) =>
  client.create(Pod, {
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ name: "main", image: "web:1", ...container }], ...spec },
  });
const anti = (app: string) => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname" }],
  },
});
const isDecided = async (context: ScenarioContext) =>
  (await listPods(context)).every(
    ({ status }) => status.phase === "Running" || status.conditions?.some(({ reason }) => reason === "Unschedulable"),
  );

export const scheduling: Scenario = {
  name: "scheduling",
  sample: true,
  steps: [
    {
      name: "unschedulable pods",
      async act(context) {
        await pod(context, "selector", { nodeSelector: { disk: "ssd" } });
        await pod(context, "cpu", {}, { resources: { requests: { cpu: "1k" } } });
        await pod(context, "both", {}, { resources: { requests: { cpu: "1k", memory: "1Pi" } } });
        await pod(context, "gpu", {}, { resources: { limits: { "example.com/gpu": "1" } } });
        await pod(context, "no-claim", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "missing" } }] });
        await context.client.create(PersistentVolumeClaim, {
          metadata: { name: "unbound", namespace: context.namespace },
          spec: { storageClassName: "", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        });
        await pod(context, "unbound-claim", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "unbound" } }] });
        const term = { labelSelector: { matchLabels: { app: "unmatched" } }, topologyKey: "kubernetes.io/hostname" };
        await pod(context, "lonely", { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
        await pod(context, "elsewhere", { schedulerName: "other-scheduler" });
        await pod(context, "gated", { schedulingGates: [{ name: "example.com/wait" }] });
      },
      until: async (context) =>
        (await listPods(context)).filter(({ status }) => status.conditions?.some(({ reason }) => reason === "Unschedulable")).length === 7,
    },
    {
      name: "conflicting ports and anti-affinity",
      async act(context) {
        const first = { nodeSelector: { "kubernetes.io/hostname": "node-1" } };
        await pod(context, "port-a", first, { ports: [{ containerPort: 80, hostPort: 18080 }] });
        await pod(context, "port-b", {}, { ports: [{ containerPort: 80, hostPort: 18080 }] });
        await pod(context, "apart", { affinity: anti("port-a"), nodeSelector: { "kubernetes.io/hostname": "node-1" } });
      },
      until: async (context) =>
        isDecided({ ...context }).then(
          async () => (await listPods(context)).filter(({ status }) => status.phase === "Running").length >= 2,
        ),
    },
    {
      name: "the scheduling gate is removed",
      act: ({ client, namespace }) => client.patch(Pod, { name: "gated", namespace }, { merge: { spec: { schedulingGates: null } } }),
      until: async ({ client, namespace }) => (await client.get(Pod, { name: "gated", namespace })).status.phase === "Running",
    },
  ],
};

/** Exclusive, because it changes nodes. */
export const nodes: Scenario = {
  name: "cordoned and tainted nodes",
  exclusive: true,
  steps: [
    {
      name: "cordoned and tainted",
      async act(context) {
        await context.client.patch(Node, { name: "node-1" }, { merge: { spec: { unschedulable: true } } });
        await context.client.patch(
          Node,
          { name: "node-2" },
          { merge: { spec: { taints: [{ key: "example.com/mine", value: "yes", effect: "NoSchedule" }] } } },
        );
        await context.client.waitFor(Node, { name: "node-1" }, ({ spec }) => (spec.taints ?? []).length === 1, { timeout: 30_000 });
        await pod(context, "homeless", {});
        await pod(context, "tolerant", { tolerations: [{ key: "example.com/mine", operator: "Exists" }] });
        await pod(context, "picky", { nodeSelector: { "kubernetes.io/hostname": "node-1" } });
      },
      until: isDecided,
    },
    {
      name: "open again",
      async act(context) {
        // One after the other, so that only one node fits: otherwise the scheduler's choice could differ.
        for (const [node, pod] of [
          ["node-2", "homeless"],
          ["node-1", "picky"],
        ] as const) {
          await context.client.patch(Node, { name: node }, { merge: { spec: { unschedulable: null, taints: null } } });
          const at = { name: pod, namespace: context.namespace };
          await context.client.waitFor(Pod, at, ({ status }) => status.phase === "Running", { timeout: 60_000 });
        }
      },
      until: async (context) => (await listPods(context)).every(({ status }) => status.phase === "Running"),
    },
    {
      name: "a NoExecute taint",
      async act(context) {
        await context.client.patch(
          Node,
          { name: "node-1" },
          { merge: { spec: { taints: [{ key: "example.com/out", effect: "NoExecute" }] } } },
        );
      },
      until: async (context) => (await context.client.find(Pod, { name: "picky", namespace: context.namespace })) === undefined,
    },
    {
      name: "clean up",
      async act(context) {
        await context.client.patch(Node, { name: "node-1" }, { merge: { spec: { taints: null } } });
        for (const { metadata } of await listPods(context)) await context.client.delete(Pod, metadata);
      },
      until: async (context) => (await listPods(context)).length === 0,
    },
  ],
};
